//! The same launch through `ptx_run` from Rust, on registered ranges.

use std::ffi::{CString, c_char, c_int, c_void};

#[link(name = "margay")]
unsafe extern "C" {
    fn ptx_run(
        source: *const c_char,
        n_args: c_int,
        args: *mut *mut c_void,
        block_x: c_int,
        block_y: c_int,
        block_z: c_int,
        grid_x: c_int,
        grid_y: c_int,
        grid_z: c_int,
        shared_bytes: c_int,
    ) -> c_int;
    fn ptx_register(start: *mut c_void, bytes: u64, read_only: c_int) -> c_int;
    fn ptx_unregister(start: *mut c_void) -> c_int;
}

fn main() {
    let text = CString::new(std::fs::read("scale.ptx").unwrap()).unwrap();
    let mut numbers: Vec<u32> = (1..=8).collect();
    let start = numbers.as_mut_ptr().cast::<c_void>();
    let mut args = [start, std::ptr::without_provenance_mut(8), std::ptr::without_provenance_mut(3)];
    let mut run = |grid| unsafe { ptx_run(text.as_ptr(), 3, args.as_mut_ptr(), 4, 1, 1, grid, 1, 1, 0) };
    unsafe {
        assert_eq!(ptx_register(start, 28, 0), 0);
        assert_eq!(run(2), 4, "the last number is not registered");
        assert_eq!(ptx_unregister(start), 0);
        numbers.copy_from_slice(&[1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(ptx_register(start, 32, 0), 0);
        assert_eq!(run(2), 0);
        assert_eq!(ptx_unregister(start), 0);
    }
    println!("{}", numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(" "));
}
