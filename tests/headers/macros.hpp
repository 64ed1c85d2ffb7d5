// Macros of other people's headers in lower case or short capitals: of windows.h (rpcndr.h, windef.h, wingdi.h), glibc
// (sys/sysmacros.h, sys/stat.h, complex.h, math.h, sys/param.h), macOS's AssertMacros.h and objc.h, Qt, and compilers:
// those that are met most. names.txt has all of MinGW's, glibc's and Qt's, as collect.py found them.
// No header of wlfmt has any of them as an identifier: check.sh compiles them all after these, which come after the
// standard library.
#define near
#define far
#define pascal
#define cdecl
#define interface struct
#define small char
#define hyper long
#define IN
#define OUT
#define OPTIONAL
#define CONST const
#define VOID void
#define ERROR 0
#define DELETE 0x00010000L
#define IGNORE 0
#define INFINITE 0xffffffff
#define STRICT 1
#define THIS void
#define TRUE 1
#define FALSE 0
#define DOMAIN 1
#define OVERFLOW 3
#define UNDERFLOW 4
#define GetMessage GetMessageA
#define GetObject GetObjectA
#define DrawText DrawTextA
#define Yield()
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) < (b) ? (b) : (a))
#define major(dev) gnu_dev_major(dev)
#define minor(dev) gnu_dev_minor(dev)
#define makedev(maj, min) gnu_dev_makedev(maj, min)
#define unix 1
#define linux 1
#define i386 1
#define I _Complex_I
#define howmany(x, y) (((x) + ((y)-1)) / (y))
#define roundup(x, y) ((((x) + ((y)-1)) / (y)) * (y))
#define powerof2(x) ((((x)-1) & (x)) == 0)
#define check(assertion)
#define check_noerr(code)
#define require(assertion, label)
#define verify(assertion)
#define nil 0
#define Nil 0
#define YES 1
#define NO 0
#define slots
#define signals public
#define emit
#define foreach for
#define forever for (;;)
