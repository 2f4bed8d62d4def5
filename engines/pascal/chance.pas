{ A unit for the mill league of 1997: any column with room, by chance. }
unit Chance;

interface

type
  TBoard = array[1..4, 1..4, 1..4] of byte; { x, y, z; z = 1 is below }

function PChance(who: byte; board: TBoard; ytime, otime: real): word;

implementation

function PChance(who: byte; board: TBoard; ytime, otime: real): word;
var
  x, y: byte;
begin
  repeat
    x := random(4) + 1;
    y := random(4) + 1;
  until board[x, y, 4] = 0;
  PChance := x + 256 * y;
end;

begin
  randomize;
end.
