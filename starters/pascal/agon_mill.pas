{$mode objfpc}{$H+}

{ Plays mill over the Universal Game Interface: keeps the cube, asks a function
  for each move, and says in words why the program ended early. }
unit agon_mill;

interface

type
  { x, y, z from 1, z = 1 below: 0 is free, 1 is the first player, 2 the second. }
  TCells = array[1..4, 1..4, 1..4] of byte;

  { The number of the player to move, the cube, and the seconds that this player
    and the other one have. The answer is a column: x in its low byte, y in its
    high byte. }
  TAsk = function(who: byte; const cells: TCells; own, other: double): word;

{ Plays until the conversation ends. The name is that of the author's function. }
procedure Play(const name: string; ask: TAsk);

implementation

uses agon_pipe;

type
  TTimes = array[1..2] of double;

var
  called: string;
  cells: TCells;
  playing: boolean;
  before: CodePointer;

{ Cuts the first word off a text. }
function NextWord(var rest: string): string;
var
  at: integer;
begin
  while (rest <> '') and (rest[1] = ' ') do
    delete(rest, 1, 1);
  at := pos(' ', rest + ' ');
  NextWord := copy(rest, 1, at - 1);
  delete(rest, 1, at);
end;

function Number(const text: string): longint;
var
  wrong: word;
begin
  val(text, Number, wrong);
  if wrong <> 0 then
    Number := 0;
end;

function Shown(number: longint): string;
begin
  str(number, Shown);
end;

{ The number of the player to move: the first one has as many balls as the other. }
function ToMove: byte;
var
  x, y, z, balls: byte;
begin
  balls := 0;
  for x := 1 to 4 do
    for y := 1 to 4 do
      for z := 1 to 4 do
        if cells[x, y, z] <> 0 then
          inc(balls);
  ToMove := balls mod 2 + 1;
end;

{ Planes from below, joined by /, each with the rows y = 1 to 4 of x = 1 to 4. }
procedure SetUp(const text: string);
var
  at, cell: integer;
begin
  cell := 0;
  for at := 1 to length(text) do
    if (text[at] in ['1', '2', '.']) and (cell < 64) then
    begin
      if text[at] <> '.' then
        cells[cell mod 4 + 1, cell div 4 mod 4 + 1, cell div 16 + 1] := ord(text[at]) - ord('0');
      inc(cell);
    end;
end;

{ Lets a ball fall: a move is x and y, two digits. }
procedure Drop(const move: string);
var
  x, y, z: integer;
  who: byte;
begin
  who := ToMove;
  x := Number(copy(move, 1, 1));
  y := Number(copy(move, 2, 1));
  if not ((x in [1..4]) and (y in [1..4])) then
    exit;
  for z := 1 to 4 do
    if cells[x, y, z] = 0 then
    begin
      cells[x, y, z] := who;
      exit;
    end;
end;

{ startpos, or fen and a text; then optionally moves and the moves. }
procedure ReadPosition(rest: string);
var
  part: string;
begin
  fillchar(cells, sizeof(cells), 0);
  if NextWord(rest) = 'fen' then
    SetUp(NextWord(rest));
  NextWord(rest); { moves }
  part := NextWord(rest);
  while part <> '' do
  begin
    Drop(part);
    part := NextWord(rest);
  end;
end;

{ The seconds of both players: what they have left, or else the time for a move. }
procedure ReadTimes(rest: string; out times: TTimes);
var
  part: string;
begin
  times[1] := 0;
  times[2] := 0;
  part := NextWord(rest);
  while part <> '' do
  begin
    case part of
      'p1time': times[1] := Number(NextWord(rest)) / 1000;
      'p2time': times[2] := Number(NextWord(rest)) / 1000;
      'movetime':
        begin
          times[1] := Number(NextWord(rest)) / 1000;
          times[2] := times[1];
        end;
    end;
    part := NextWord(rest);
  end;
end;

procedure Answer(ask: TAsk; const rest: string);
var
  who: byte;
  column: word;
  times: TTimes;
  x, y: string;
begin
  ReadTimes(rest, times);
  who := ToMove;
  playing := true;
  column := ask(who, cells, times[who], times[3 - who]);
  playing := false;
  flush(output);
  x := Shown(lo(column));
  y := Shown(hi(column));
  if length(x) + length(y) = 2 then
    Say('bestmove ' + x + y)
  else
  begin
    Note(called + ' answered ' + Shown(column) + ', which is x = ' + x + ' and y = ' + y);
    Say('bestmove x=' + x + ',y=' + y);
  end;
end;

{ What the number of a runtime error means. }
function InWords(error: longint): string;
begin
  case error of
    2: InWords := 'a file was not found';
    3: InWords := 'a path was not found';
    4: InWords := 'too many open files';
    5: InWords := 'access to a file is denied';
    6, 102, 103: InWords := 'a file is not open';
    100: InWords := 'a file ended too early';
    101: InWords := 'a file cannot be written';
    104: InWords := 'a file is not open for input';
    105: InWords := 'a file is not open for output';
    106: InWords := 'a text that was read is no number';
    200: InWords := 'division by zero';
    201: InWords := 'an index or a value is outside of its range';
    202: InWords := 'the stack is full: a recursion goes too deep';
    203: InWords := 'the memory is used up';
    204: InWords := 'a pointer that is not valid was given back';
    205: InWords := 'a real number is too large';
    206: InWords := 'a real number is too small';
    207: InWords := 'an operation with real numbers that is not defined';
    210: InWords := 'an object was not initialized';
    211: InWords := 'an abstract method was called';
    215: InWords := 'an integer is too large for its type';
    216: InWords := 'a pointer or an index leads to memory that is not its own';
  else
    InWords := 'see the list of runtime errors of Free Pascal';
  end;
end;

{ The function and the line of the source at an address, if they are known. }
function Place(address: CodePointer): string;
var
  rest, name: string;
begin
  Place := '';
  rest := BackTraceStrFunc(address);
  NextWord(rest); { the address }
  name := NextWord(rest);
  if NextWord(rest) = 'line' then
    Place := ' (' + name + ' line ' + rest + ')';
end;

{ Runs at the end of the program. The last line on the standard error says why. }
procedure SayWhy;
var
  where: string;
begin
  exitproc := before;
  where := 'its unit';
  if playing then
    where := called;
  if erroraddr <> nil then
  begin
    flush(output);
    Note(where + ' stopped with runtime error ' + Shown(exitcode) + ': ' + InWords(exitcode) +
      Place(erroraddr));
    erroraddr := nil; { so that nothing is written after that }
  end
  else if playing then
    Note(where + ' ended the program, with halt(' + Shown(exitcode) + ')');
end;

procedure Play(const name: string; ask: TAsk);
var
  line: string;
  hasPlayed: boolean;
begin
  called := name;
  hasPlayed := false;
  while Heard(line) do
    case NextWord(line) of
      'ugi':
        begin
          Say('id name ' + name);
          Say('ugiok');
        end;
      'isready': Say('readyok');
      'uginewgame':
        if hasPlayed then
          StartAgain;
      'position': ReadPosition(line);
      'go':
        begin
          hasPlayed := true;
          Answer(ask, line);
        end;
      'quit': exit;
    end;
end;

initialization
  before := exitproc;
  exitproc := @SayWhy;
end.
