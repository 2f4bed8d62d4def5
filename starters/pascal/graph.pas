{ The unit Graph for units of the league that use it: nothing is drawn, as there is no screen. }
unit graph;

interface

const
  detect = 0; cga = 1; ega = 3; egalo = 0; egahi = 1; vga = 9; vgalo = 0; vgamed = 1; vgahi = 2;
  grok = 0; grnoinitgraph = -1; grnotdetected = -2; grfilenotfound = -3;
  black = 0; blue = 1; green = 2; cyan = 3; red = 4; magenta = 5; brown = 6; lightgray = 7;
  darkgray = 8; lightblue = 9; lightgreen = 10; lightcyan = 11; lightred = 12; lightmagenta = 13;
  yellow = 14; white = 15;
  solidln = 0; dottedln = 1; centerln = 2; dashedln = 3; userbitln = 4; normwidth = 1; thickwidth = 3;
  defaultfont = 0; triplexfont = 1; smallfont = 2; sansseriffont = 3; gothicfont = 4;
  horizdir = 0; vertdir = 1; lefttext = 0; centertext = 1; righttext = 2; bottomtext = 0; toptext = 2;
  emptyfill = 0; solidfill = 1; linefill = 2; xhatchfill = 8;
  copyput = 0; normalput = 0; xorput = 1; clipon = true; clipoff = false; topon = true; topoff = false;

procedure initgraph(var driver, mode: integer; path: string);
procedure detectgraph(var driver, mode: integer);
procedure closegraph;
function graphresult: integer;
function grapherrormsg(code: integer): string;
procedure restorecrtmode;
procedure setgraphmode(mode: integer);
function getgraphmode: integer;
procedure graphdefaults;
procedure cleardevice;
procedure clearviewport;
procedure setviewport(x1, y1, x2, y2: integer; clip: boolean);
procedure setactivepage(page: word);
procedure setvisualpage(page: word);
procedure setwritemode(mode: integer);
function getmaxx: integer;
function getmaxy: integer;
function getx: integer;
function gety: integer;
procedure setcolor(color: word);
function getcolor: word;
procedure setbkcolor(color: word);
function getbkcolor: word;
function getmaxcolor: word;
procedure setlinestyle(style, pattern, width: word);
procedure setfillstyle(pattern, color: word);
procedure putpixel(x, y: integer; color: word);
function getpixel(x, y: integer): word;
procedure moveto(x, y: integer);
procedure moverel(dx, dy: integer);
procedure line(x1, y1, x2, y2: integer);
procedure lineto(x, y: integer);
procedure linerel(dx, dy: integer);
procedure rectangle(x1, y1, x2, y2: integer);
procedure bar(x1, y1, x2, y2: integer);
procedure bar3d(x1, y1, x2, y2: integer; depth: word; top: boolean);
procedure circle(x, y: integer; radius: word);
procedure arc(x, y: integer; first, last, radius: word);
procedure ellipse(x, y: integer; first, last, xradius, yradius: word);
procedure fillellipse(x, y: integer; xradius, yradius: word);
procedure pieslice(x, y: integer; first, last, radius: word);
procedure floodfill(x, y: integer; border: word);
procedure settextstyle(font, direction, size: word);
procedure settextjustify(horizontal, vertical: word);
procedure outtext(text: string);
procedure outtextxy(x, y: integer; text: string);
function textwidth(text: string): word;
function textheight(text: string): word;

implementation

procedure initgraph(var driver, mode: integer; path: string); begin driver := vga; mode := vgahi end;
procedure detectgraph(var driver, mode: integer); begin driver := vga; mode := vgahi end;
procedure closegraph; begin end;
function graphresult: integer; begin graphresult := grok end;
function grapherrormsg(code: integer): string; begin grapherrormsg := 'nothing is drawn here' end;
procedure restorecrtmode; begin end;
procedure setgraphmode(mode: integer); begin end;
function getgraphmode: integer; begin getgraphmode := vgahi end;
procedure graphdefaults; begin end;
procedure cleardevice; begin end;
procedure clearviewport; begin end;
procedure setviewport(x1, y1, x2, y2: integer; clip: boolean); begin end;
procedure setactivepage(page: word); begin end;
procedure setvisualpage(page: word); begin end;
procedure setwritemode(mode: integer); begin end;
function getmaxx: integer; begin getmaxx := 639 end;
function getmaxy: integer; begin getmaxy := 479 end;
function getx: integer; begin getx := 0 end;
function gety: integer; begin gety := 0 end;
procedure setcolor(color: word); begin end;
function getcolor: word; begin getcolor := white end;
procedure setbkcolor(color: word); begin end;
function getbkcolor: word; begin getbkcolor := black end;
function getmaxcolor: word; begin getmaxcolor := white end;
procedure setlinestyle(style, pattern, width: word); begin end;
procedure setfillstyle(pattern, color: word); begin end;
procedure putpixel(x, y: integer; color: word); begin end;
function getpixel(x, y: integer): word; begin getpixel := black end;
procedure moveto(x, y: integer); begin end;
procedure moverel(dx, dy: integer); begin end;
procedure line(x1, y1, x2, y2: integer); begin end;
procedure lineto(x, y: integer); begin end;
procedure linerel(dx, dy: integer); begin end;
procedure rectangle(x1, y1, x2, y2: integer); begin end;
procedure bar(x1, y1, x2, y2: integer); begin end;
procedure bar3d(x1, y1, x2, y2: integer; depth: word; top: boolean); begin end;
procedure circle(x, y: integer; radius: word); begin end;
procedure arc(x, y: integer; first, last, radius: word); begin end;
procedure ellipse(x, y: integer; first, last, xradius, yradius: word); begin end;
procedure fillellipse(x, y: integer; xradius, yradius: word); begin end;
procedure pieslice(x, y: integer; first, last, radius: word); begin end;
procedure floodfill(x, y: integer; border: word); begin end;
procedure settextstyle(font, direction, size: word); begin end;
procedure settextjustify(horizontal, vertical: word); begin end;
procedure outtext(text: string); begin end;
procedure outtextxy(x, y: integer; text: string); begin end;
function textwidth(text: string): word; begin textwidth := 8 * length(text) end;
function textheight(text: string): word; begin textheight := 8 end;

end.
