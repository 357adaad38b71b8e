; The mean of two words, rounded up, without overflow: for `llc`, which makes PTX of it.
target triple = "nvptx64-nvidia-cuda"

define i32 @average(i32 %a, i32 %b) {
  %either = or i32 %a, %b
  %differing = xor i32 %a, %b
  %half = lshr i32 %differing, 1
  %mean = sub i32 %either, %half
  ret i32 %mean
}
