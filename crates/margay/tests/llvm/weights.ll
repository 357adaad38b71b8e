; since sm_20
; The number of set bits of each byte of four: what the test launches and knows the result of.
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.ctpop.i32(i32)

define ptx_kernel void @weights(i32 addrspace(1)* %in, i32 addrspace(1)* %out) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ntid = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %ctaid = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %ctaid, %ntid
  %at = add i32 %first, %tid
  %i = sext i32 %at to i64
  %from = getelementptr i32, i32 addrspace(1)* %in, i64 %i
  %word = load i32, i32 addrspace(1)* %from
  br label %loop
loop:
  %step = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  %shift = shl i32 %step, 3
  %moved = lshr i32 %word, %shift
  %byte = and i32 %moved, 255
  %weight = call i32 @llvm.ctpop.i32(i32 %byte)
  %placed = shl i32 %weight, %shift
  %more = or i32 %sum, %placed
  %next = add i32 %step, 1
  %last = icmp eq i32 %next, 4
  br i1 %last, label %done, label %loop
done:
  %to = getelementptr i32, i32 addrspace(1)* %out, i64 %i
  store i32 %more, i32 addrspace(1)* %to
  ret void
}
