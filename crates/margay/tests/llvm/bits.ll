; since sm_20
; Bit counting, reversal, rotation and saturation: what LLVM has intrinsics for and PTX has instructions.
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.ctpop.i32(i32)
declare i64 @llvm.ctpop.i64(i64)
declare i32 @llvm.ctlz.i32(i32, i1)
declare i32 @llvm.cttz.i32(i32, i1)
declare i32 @llvm.bitreverse.i32(i32)
declare i64 @llvm.bitreverse.i64(i64)
declare i32 @llvm.bswap.i32(i32)
declare i32 @llvm.fshl.i32(i32, i32, i32)
declare i64 @llvm.fshr.i64(i64, i64, i64)
declare i32 @llvm.sadd.sat.i32(i32, i32)
declare i16 @llvm.umax.i16(i16, i16)
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.abs.i32(i32, i1)

define ptx_kernel void @bits(i32 addrspace(1)* %in, i32 addrspace(1)* %out, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %inside = icmp ult i32 %t, %n
  br i1 %inside, label %work, label %done
work:
  %i = zext i32 %t to i64
  %from = getelementptr i32, i32 addrspace(1)* %in, i64 %i
  %x = load i32, i32 addrspace(1)* %from
  %pop = call i32 @llvm.ctpop.i32(i32 %x)
  %lead = call i32 @llvm.ctlz.i32(i32 %x, i1 false)
  %trail = call i32 @llvm.cttz.i32(i32 %x, i1 false)
  %back = call i32 @llvm.bitreverse.i32(i32 %x)
  %swapped = call i32 @llvm.bswap.i32(i32 %x)
  %turned = call i32 @llvm.fshl.i32(i32 %x, i32 %x, i32 %t)
  %filled = call i32 @llvm.sadd.sat.i32(i32 %x, i32 %turned)
  %wide = zext i32 %swapped to i64
  %high = shl i64 %wide, 17
  %wider = or i64 %high, %i
  %wback = call i64 @llvm.bitreverse.i64(i64 %wider)
  %wturned = call i64 @llvm.fshr.i64(i64 %wback, i64 %wider, i64 %i)
  %wpop = call i64 @llvm.ctpop.i64(i64 %wturned)
  %narrow = trunc i64 %wpop to i16
  %other = trunc i32 %x to i16
  %most = call i16 @llvm.umax.i16(i16 %narrow, i16 %other)
  %grown = sext i16 %most to i32
  %size = call i32 @llvm.abs.i32(i32 %grown, i1 false)
  %least = call i32 @llvm.smin.i32(i32 %filled, i32 %back)
  %a = add i32 %pop, %lead
  %b = xor i32 %a, %trail
  %c = add i32 %b, %size
  %d = sub i32 %c, %least
  %to = getelementptr i32, i32 addrspace(1)* %out, i64 %i
  store i32 %d, i32 addrspace(1)* %to
  br label %done
done:
  ret void
}
