; since sm_20
; A sum over a block: shared memory, barriers, atomic operations, memory of a thread, a constant table, a structure by value.
target triple = "nvptx64-nvidia-cuda"

%pair = type { i32, [3 x i16] }

@parts = internal addrspace(3) global [256 x i32] undef, align 4
@primes = internal addrspace(4) constant [4 x i32] [i32 2, i32 3, i32 5, i32 7], align 4
@total = addrspace(1) global i32 0, align 4

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier0()
declare void @llvm.nvvm.membar.gl()

define ptx_kernel void @block(i32 addrspace(1)* %in, %pair* byval(%pair) align 4 %by) {
  %scratch = alloca [4 x i32], align 4
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %low = and i64 %i, 3
  %prime = getelementptr [4 x i32], [4 x i32] addrspace(4)* @primes, i64 0, i64 %low
  %p = load i32, i32 addrspace(4)* %prime
  %from = getelementptr i32, i32 addrspace(1)* %in, i64 %i
  %x = load volatile i32, i32 addrspace(1)* %from
  %field = getelementptr %pair, %pair* %by, i32 0, i32 0
  %k = load i32, i32* %field
  %y = mul i32 %x, %p
  %z = add i32 %y, %k
  %slot = getelementptr [4 x i32], [4 x i32]* %scratch, i64 0, i64 %low
  store volatile i32 %z, i32* %slot
  %back = load volatile i32, i32* %slot
  %mine = getelementptr [256 x i32], [256 x i32] addrspace(3)* @parts, i64 0, i64 %i
  store i32 %back, i32 addrspace(3)* %mine
  call void @llvm.nvvm.barrier0()
  %near = xor i64 %i, 1
  %theirs = getelementptr [256 x i32], [256 x i32] addrspace(3)* @parts, i64 0, i64 %near
  %other = load i32, i32 addrspace(3)* %theirs
  %old = atomicrmw add i32 addrspace(1)* @total, i32 %other seq_cst
  %top = atomicrmw umax i32 addrspace(3)* %mine, i32 %old seq_cst
  %swap = cmpxchg i32 addrspace(1)* @total, i32 %top, i32 %old seq_cst seq_cst
  call void @llvm.nvvm.membar.gl()
  ret void
}
