//go:build !purego

#include "textflag.h"

// func hasAES() bool
TEXT ·hasAES(SB), NOSPLIT, $0-1
	MOVL  $1, AX
	XORL  CX, CX
	CPUID
	ANDL  $(1<<25 | 1<<9), CX // AES, and SSSE3 for PALIGNR
	CMPL  CX, $(1<<25 | 1<<9)
	SETEQ ret+0(FP)
	RET

// func subRotWord(word uint32) uint32
TEXT ·subRotWord(SB), NOSPLIT, $0-12
	MOVL            word+0(FP), AX
	MOVQ            AX, X0
	PSHUFL          $0, X0, X0
	AESKEYGENASSIST $0, X0, X0
	PSRLQ           $32, X0
	MOVQ            X0, AX
	MOVL            AX, ret+8(FP)
	RET

// func encryptBytes(keys *roundKeys, window *[16]byte, dst, src *byte, count int)
//
// All keys stay in registers. From the result of one block to the state of the next are a shift and an
// XOR: what does not depend on it, which is the older 15 bytes, the plain byte and the first key, is
// put together beside.
TEXT ·encryptBytes(SB), NOSPLIT, $0-40
	MOVQ  keys+0(FP), AX
	MOVQ  window+8(FP), BX
	MOVQ  dst+16(FP), DI
	MOVQ  src+24(FP), SI
	MOVQ  count+32(FP), CX
	MOVOU 0(AX), X5
	MOVOU 16(AX), X6
	MOVOU 32(AX), X7
	MOVOU 48(AX), X8
	MOVOU 64(AX), X9
	MOVOU 80(AX), X10
	MOVOU 96(AX), X11
	MOVOU 112(AX), X12
	MOVOU 128(AX), X13
	MOVOU 144(AX), X14
	MOVOU 160(AX), X15
	MOVOU (BX), X1            // the window
	MOVO  X1, X0
	PXOR  X5, X0              // the state

next:
	AESENC     X6, X0
	MOVBLZX    (SI), DX
	MOVQ       DX, X2
	PSLLO      $15, X2        // the plain byte, last
	PSRLO      $1, X1         // the older 15 bytes
	PXOR       X2, X1
	MOVO       X1, X3
	PXOR       X5, X3
	AESENC     X7, X0
	AESENC     X8, X0
	AESENC     X9, X0
	AESENC     X10, X0
	AESENC     X11, X0
	AESENC     X12, X0
	AESENC     X13, X0
	AESENC     X14, X0
	AESENCLAST X15, X0
	MOVQ       X0, R8
	PSLLO      $15, X0        // the byte of the key stream, last
	PXOR       X0, X1
	PXOR       X3, X0
	XORL       R8, DX
	MOVB       DX, (DI)
	INCQ       SI
	INCQ       DI
	DECQ       CX
	JNZ        next

	MOVOU X1, (BX)
	RET

#define ROUND(offset) \
	MOVOU  offset(AX), X10 \
	AESENC X10, X0         \
	AESENC X10, X1         \
	AESENC X10, X2         \
	AESENC X10, X3         \
	AESENC X10, X4         \
	AESENC X10, X5         \
	AESENC X10, X6         \
	AESENC X10, X7

// unshiftedRows puts bytes where a round of AES, which shifts rows, brings them into order.
DATA unshiftedRows<>+0(SB)/8, $0x0b0e0104070a0d00
DATA unshiftedRows<>+8(SB)/8, $0x0306090c0f020508
GLOBL unshiftedRows<>(SB), NOPTR|RODATA, $16

// func decryptGroups(keys *roundKeys, window *[16]byte, dst, src *byte, groups int)
//
// X8 is the window, X9 the eight encrypted bytes that follow it. Their 24 bytes contain the eight blocks
// that eight bytes depend on.
TEXT ·decryptGroups(SB), NOSPLIT, $0-40
	MOVQ  keys+0(FP), AX
	MOVQ  window+8(FP), BX
	MOVQ  dst+16(FP), DI
	MOVQ  src+24(FP), SI
	MOVQ  groups+32(FP), CX
	MOVOU (BX), X8
	MOVOU unshiftedRows<>(SB), X12
	MOVOU 160(AX), X13
	PXOR  X0, X0
	PSHUFB X0, X13 // the first byte of the last key, everywhere

next:
	MOVQ    (SI), X9
	MOVOU   0(AX), X10
	MOVO    X8, X0
	MOVO    X9, X1
	PALIGNR $1, X8, X1
	MOVO    X9, X2
	PALIGNR $2, X8, X2
	MOVO    X9, X3
	PALIGNR $3, X8, X3
	MOVO    X9, X4
	PALIGNR $4, X8, X4
	MOVO    X9, X5
	PALIGNR $5, X8, X5
	MOVO    X9, X6
	PALIGNR $6, X8, X6
	MOVO    X9, X7
	PALIGNR $7, X8, X7
	MOVO    X9, X11
	PALIGNR $8, X8, X11
	MOVO    X11, X8           // the window of the next group
	PXOR    X10, X0
	PXOR    X10, X1
	PXOR    X10, X2
	PXOR    X10, X3
	PXOR    X10, X4
	PXOR    X10, X5
	PXOR    X10, X6
	PXOR    X10, X7
	ROUND(16)
	ROUND(32)
	ROUND(48)
	ROUND(64)
	ROUND(80)
	ROUND(96)
	ROUND(112)
	ROUND(128)
	ROUND(144)

	// Only the first byte of each block counts, so that one last round does for all eight.
	PUNPCKLBW  X1, X0
	PUNPCKLBW  X3, X2
	PUNPCKLBW  X5, X4
	PUNPCKLBW  X7, X6
	PUNPCKLWL  X2, X0
	PUNPCKLWL  X6, X4
	PUNPCKLLQ  X4, X0
	PSHUFB     X12, X0
	AESENCLAST X13, X0
	PXOR      X9, X0
	MOVQ      X0, (DI)
	ADDQ      $8, SI
	ADDQ      $8, DI
	DECQ      CX
	JNZ       next

	MOVOU X8, (BX)
	RET
