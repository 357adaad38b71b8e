; since sm_20
; 8 to 128 bits: products, quotients, carries, comparisons, a switch, and vectors in memory.
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

define i128 @square(i64 %x) noinline {
  %a = zext i64 %x to i128
  %p = mul i128 %a, %a
  ret i128 %p
}

define ptx_kernel void @wide(<4 x i32> addrspace(1)* %data, i8 %small, i16 %short, i64 %long) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr <4 x i32>, <4 x i32> addrspace(1)* %data, i64 %i
  %v = load <4 x i32>, <4 x i32> addrspace(1)* %p, align 16
  %e0 = extractelement <4 x i32> %v, i32 0
  %e1 = extractelement <4 x i32> %v, i32 1
  %e2 = extractelement <4 x i32> %v, i32 2
  %s = sext i8 %small to i32
  %u = zext i16 %short to i32
  %odd = or i32 %u, 1
  %q = sdiv i32 %e0, %odd
  %r = urem i32 %e1, %odd
  %m = mul i32 %q, %s
  %sum = add i32 %m, %r
  %x = zext i32 %e2 to i64
  %y = mul i64 %x, %long
  %sq = call i128 @square(i64 %y)
  %hi = lshr i128 %sq, 64
  %h = trunc i128 %hi to i64
  %l = trunc i128 %sq to i64
  %odd64 = or i64 %long, 1
  %q64 = udiv i64 %h, %odd64
  %r64 = srem i64 %l, %odd64
  %less = icmp slt i64 %q64, %r64
  %pick = select i1 %less, i64 %q64, i64 %r64
  %cut = trunc i64 %pick to i32
  switch i32 %e1, label %other [
    i32 0, label %zero
    i32 1, label %one
    i32 2, label %two
    i32 3, label %three
    i32 4, label %four
  ]
zero:
  br label %join
one:
  br label %join
two:
  br label %join
three:
  br label %join
four:
  br label %join
other:
  br label %join
join:
  %k = phi i32 [ 7, %zero ], [ %cut, %one ], [ %sum, %two ], [ %e0, %three ], [ %u, %four ], [ %s, %other ]
  %w0 = insertelement <4 x i32> %v, i32 %k, i32 0
  %w1 = insertelement <4 x i32> %w0, i32 %sum, i32 3
  store <4 x i32> %w1, <4 x i32> addrspace(1)* %p, align 16
  ret void
}
