{$mode objfpc}{$R+}

{ Written by agon new mill pascal: an engine for mill around one unit. }
program agon_driver;

uses
  agon_pipe, agon_mill, @UNITS@;

{ Leaves the column 9, 5, which there is not, where a result lies that its
  function does not set. }
procedure Spoil;
var
  words: array[1..8192] of system.word;
begin
  system.fillword(words, 8192, 9 + 256 * 5);
end;

function Ask(who: system.byte; const cells: agon_mill.TCells; own, other: system.double): system.word;
var
  agonBoard: @BOARD@;
  x, y, z: 1..4;
begin
  { The compiler refuses other indices. }
  agonBoard[1, 1, 1] := 0;
  agonBoard[4, 4, 4] := 0;
  for x := 1 to 4 do
    for y := 1 to 4 do
      for z := 1 to 4 do
        agonBoard[x, y, z] := cells[x, y, z];
  Spoil;
  Ask := @UNIT@.@FUNCTION@(who, agonBoard, own, other);
end;

begin
  agon_mill.Play('@FUNCTION@', @Ask);
end.
