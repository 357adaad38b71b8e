; since sm_30 ptx60
; Lanes of a warp exchange, vote and wait.
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
declare i1 @llvm.nvvm.vote.all.sync(i32, i1)
declare void @llvm.nvvm.bar.warp.sync(i32)

define ptx_kernel void @warp(i32 addrspace(1)* %data) {
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %i = zext i32 %lane to i64
  %p = getelementptr i32, i32 addrspace(1)* %data, i64 %i
  %x = load i32, i32 addrspace(1)* %p
  %a = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %x, i32 16, i32 31)
  %s1 = add i32 %x, %a
  %b = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %s1, i32 8, i32 31)
  %s2 = add i32 %s1, %b
  %even = and i32 %s2, 1
  %is = icmp eq i32 %even, 0
  %mask = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %is)
  %every = call i1 @llvm.nvvm.vote.all.sync(i32 -1, i1 %is)
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  %r = select i1 %every, i32 %s2, i32 %mask
  store i32 %r, i32 addrspace(1)* %p
  ret void
}
