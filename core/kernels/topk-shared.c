// The kernel for a memory that several threads share: each thread has variables and a stack of its own (generate-kernels.ts).
#include "topk.c"
