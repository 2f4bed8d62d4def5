{ A unit for the mill league of 1997: alpha-beta, one ply deeper and deeper
  until its share of the time is used. A position is worth the lines that are
  still open, more the more balls lie in them. }
unit Ahead;

interface

type
  TBoard = array[1..4, 1..4, 1..4] of byte; { x, y, z; z = 1 is below }

function PAhead(who: byte; board: TBoard; ytime, otime: real): word;

implementation

uses
  Dos;

const
  Lines = 76;
  Win = 10000;
  { What a line is worth to the only player who has balls in it. }
  Worth: array[0..4] of integer = (0, 1, 6, 30, 0);
  { The corners and the middle first: they lie in seven lines, not in four. }
  Order: array[1..16] of byte = (1, 4, 13, 16, 6, 7, 10, 11, 2, 3, 5, 8, 9, 12, 14, 15);

type
  TCell = record
    count: byte;                     { the lines through this cell }
    line: array[1..7] of byte;
  end;

var
  cell: array[1..64] of TCell;
  balls: array[1..Lines, 1..2] of byte;
  height: array[1..16] of byte;      { the balls in each column }
  value: integer;                    { of the position, for player 1 }
  full: byte;                        { the balls in the cube }
  nodes: longint;
  start, allowed: real;
  late: boolean;

{ The seconds of the clock. }
function Now: real;
var
  hour, minute, second, hundredth: word;
begin
  GetTime(hour, minute, second, hundredth);
  Now := hour * 3600.0 + minute * 60.0 + second + hundredth / 100.0;
end;

function Elapsed: real;
var
  time: real;
begin
  time := Now - start;
  if time < 0 then
    time := time + 86400.0; { midnight }
  Elapsed := time;
end;

{ What a line is worth for player 1. }
function OfLine(n: byte): integer;
begin
  if balls[n, 2] = 0 then
    OfLine := Worth[balls[n, 1]]
  else if balls[n, 1] = 0 then
    OfLine := -Worth[balls[n, 2]]
  else
    OfLine := 0;
end;

{ Adds a ball to a column, or takes the top one away again. True: four in a line. }
function Change(column, who: byte; up: boolean): boolean;
var
  at, i, n: byte;
  four: boolean;
begin
  if not up then
    dec(height[column]);
  at := 16 * height[column] + column;
  if up then
    inc(height[column]);
  four := false;
  for i := 1 to cell[at].count do
  begin
    n := cell[at].line[i];
    value := value - OfLine(n);
    if up then
      inc(balls[n, who])
    else
      dec(balls[n, who]);
    if balls[n, who] = 4 then
      four := true;
    value := value + OfLine(n);
  end;
  if up then
    inc(full)
  else
    dec(full);
  Change := four;
end;

{ The value for the player to move. The best column comes back too. }
function Search(who: byte; depth, alpha, beta: integer; var best: byte): integer;
var
  i, column, reply: byte;
  worthNow: integer;
begin
  best := 0;
  inc(nodes);
  if nodes mod 1024 = 0 then
    late := late or (Elapsed > allowed);
  if full = 64 then
    Search := 0
  else if depth = 0 then
  begin
    if who = 1 then
      Search := value
    else
      Search := -value;
  end
  else
  begin
    for i := 1 to 16 do
    begin
      column := Order[i];
      if (height[column] < 4) and (alpha < beta) and not late then
      begin
        if Change(column, who, true) then
          worthNow := Win + depth
        else
          worthNow := -Search(3 - who, depth - 1, -beta, -alpha, reply);
        if Change(column, who, false) then; { the cube is as it was }
        if (worthNow > alpha) and not late then
        begin
          alpha := worthNow;
          best := column;
        end;
      end;
    end;
    Search := alpha;
  end;
end;

procedure Load(var board: TBoard);
var
  x, y, z, who: byte;
begin
  fillchar(balls, sizeof(balls), 0);
  fillchar(height, sizeof(height), 0);
  value := 0;
  full := 0;
  for z := 1 to 4 do
    for y := 1 to 4 do
      for x := 1 to 4 do
      begin
        who := board[x, y, z];
        if who <> 0 then
          if Change(4 * (y - 1) + x, who, true) then;
      end;
end;

function PAhead(who: byte; board: TBoard; ytime, otime: real): word;
var
  depth: integer;
  found, chosen: byte;
  worthNow: integer;
begin
  start := Now;
  Load(board);
  { Half of the free cells are ours, and the last of them are quickly searched. }
  allowed := ytime / ((64 - full) / 2 + 4);
  nodes := 0;
  late := false;
  chosen := 1;
  while height[chosen] = 4 do
    inc(chosen);
  depth := 0;
  repeat
    inc(depth);
    worthNow := Search(who, depth, -2 * Win, 2 * Win, found);
    if (found <> 0) and not late then
      chosen := found;
  until late or (depth > 64 - full) or (abs(worthNow) >= Win) or (2 * Elapsed > allowed);
  PAhead := (chosen - 1) mod 4 + 1 + 256 * ((chosen - 1) div 4 + 1);
end;

{ The 76 lines: from each cell in each of 13 directions, if four cells fit. }
procedure FindLines;
var
  x, y, z, dx, dy, dz, i: integer;
  at: array[1..4] of integer;
  n, c: byte;

  function Fits(from, step: integer): boolean;
  begin
    Fits := (from + 3 * step >= 1) and (from + 3 * step <= 4);
  end;

begin
  n := 0;
  fillchar(cell, sizeof(cell), 0);
  for x := 1 to 4 do
    for y := 1 to 4 do
      for z := 1 to 4 do
        for dx := -1 to 1 do
          for dy := -1 to 1 do
            for dz := 0 to 1 do
              if (9 * dz + 3 * dy + dx > 0) and Fits(x, dx) and Fits(y, dy) and Fits(z, dz) then
              begin
                inc(n);
                for i := 1 to 4 do
                begin
                  at[i] := x + (i - 1) * dx + 4 * (y + (i - 1) * dy - 1) + 16 * (z + (i - 1) * dz - 1);
                  inc(cell[at[i]].count);
                  c := cell[at[i]].count;
                  cell[at[i]].line[c] := n;
                end;
              end;
end;

begin
  FindLines;
end.
