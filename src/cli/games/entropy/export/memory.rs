//! Nothing: the hints about the memory of the table need unsafe code.

pub(super) fn prefetch<T>(_value: &T) {}

pub(super) fn advise_huge_pages<T>(_buffer: &mut Vec<T>) {}
