//! Hints to the processor and to the system about the memory of the transposition table. They make the search faster and
//! change no result.

/// Loads a value into the processor's cache, and does not wait for it.
pub(super) fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    #[expect(
        unsafe_code,
        reason = "the standard library has no safe prefetch; see the bench `table`"
    )]
    // SAFETY: A prefetch is valid for every address, and it does not read or change anything.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

/// The usual size of a huge page, in bytes.
#[cfg(target_os = "linux")]
const HUGE_PAGE: usize = 2 << 20;

/// Asks the system to back the spare memory of a vector with huge pages, so that most accesses need no walk of page
/// tables.
pub(super) fn advise_huge_pages<T>(buffer: &mut Vec<T>) {
    #[cfg(target_os = "linux")]
    #[expect(
        unsafe_code,
        reason = "rustix declares the call as unsafe; see the bench `table`"
    )]
    // SAFETY: This advice does not change the contents of memory, and the kernel checks the range.
    unsafe {
        let spare = buffer.spare_capacity_mut();
        let bytes = size_of_val(spare);
        let start = spare.as_mut_ptr().cast::<u8>();
        let skipped = start.align_offset(HUGE_PAGE);
        if bytes > skipped {
            // The advice is a hint: without it, the table is only slower.
            let _ = rustix::mm::madvise(
                start.add(skipped).cast(),
                bytes - skipped,
                rustix::mm::Advice::LinuxHugepage,
            );
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = buffer;
}
