{$mode objfpc}{$H+}

{ The conversation with agon, on descriptors of its own.

  It is the first unit of the program, so its last part runs before the first
  line of the author's unit. From then on, what that unit writes to the screen
  goes to the standard error, and at its keyboard nobody presses a key. }
unit agon_pipe;

interface

{ Reads the next line, without its end. False at the end of the conversation. }
function Heard(out line: string): boolean;

{ Sends one line, at once. }
procedure Say(const line: string);

{ Writes one line for the author to the standard error. }
procedure Note(const line: string);

{ Starts this program again in the middle of the conversation, so that all its
  variables begin as at the start. Where that is not allowed, it goes on. }
procedure StartAgain;

implementation

uses baseunix;

const
  CloseOnExec = 1;

var
  fromAgon, toAgon: cint;
  keyboard: TFilDes;

procedure WriteAll(handle: cint; const text: string);
var
  at: integer;
  sent: TsSize;
begin
  at := 1;
  while at <= length(text) do
  begin
    sent := fpwrite(handle, @text[at], length(text) - at + 1);
    if sent > 0 then
      at := at + sent
    else if fpgeterrno <> ESysEINTR then
      exit; { nobody reads any more }
  end;
end;

function Heard(out line: string): boolean;
var
  sign: char;
  got: TsSize;
begin
  line := '';
  { Byte by byte, so that what follows is left for the program after StartAgain. }
  repeat
    got := fpread(fromAgon, @sign, 1);
    if got = 1 then
    begin
      if sign = #10 then
        exit(true);
      if sign <> #13 then
        line := line + sign;
    end;
  until (got = 0) or ((got < 0) and (fpgeterrno <> ESysEINTR));
  Heard := false;
end;

procedure Say(const line: string);
begin
  WriteAll(toAgon, line + #10);
end;

procedure Note(const line: string);
begin
  WriteAll(2, line + #10);
end;

procedure StartAgain;
var
  words: array[0..1] of PChar;
begin
  flush(output);
  words[0] := argv[0];
  words[1] := nil;
  fpdup2(fromAgon, 0);
  fpdup2(toAgon, 1);
  fpexecv('/proc/self/exe', @words);
  fpdup2(keyboard[0], 0);
  fpdup2(2, 1);
end;

function Private(handle: cint): cint;
begin
  fpfcntl(handle, F_SetFD, CloseOnExec);
  Private := handle;
end;

initialization
  fromAgon := Private(fpdup(0));
  toAgon := Private(fpdup(1));
  { Its other end stays open, so that it is neither readable nor at its end. }
  if fppipe(keyboard) = 0 then
  begin
    Private(keyboard[0]);
    Private(keyboard[1]);
    fpdup2(keyboard[0], 0);
  end;
  fpdup2(2, 1);
end.
