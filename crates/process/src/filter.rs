//! The filter that denies certain system calls to an isolated program; see seccomp(2).
//!
//! The filter closes the gaps that neither namespaces nor Landlock close. A denied call returns an error and never
//! kills the program, because programs often try calls that they do not need.
//!
//! A helper process becomes the program, and compiles the filter just before it does so. If another process compiled
//! the filter, several hundred instructions would have to be passed on and parsed, and the filter would be visible in
//! the program's arguments.

use std::collections::BTreeMap;
use std::io;

use nix::libc::{self, BPF_ABS, BPF_JEQ, BPF_JGT, BPF_JMP, BPF_K, BPF_LD, BPF_RET, BPF_W, c_long};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen as Length, SeccompCmpOp as Op, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch, apply_filter_all_threads, sock_filter,
};
use serde::{Deserialize, Serialize};

/// Permissions that the filter grants to some programs and denies to others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Filter {
    /// The program may open sockets.
    pub network: bool,
    /// The program may change modes, owners, times and extended attributes of files.
    ///
    /// This must be denied if the program runs as a user who also owns other people's files.
    pub attributes: bool,
    /// The program may allocate memory that belongs to no process.
    ///
    /// This must be denied if no control group counts such memory.
    pub shared_memory: bool,
    /// The program may change the limits, priorities and cores of other processes. Only tests allow this.
    pub others: bool,
}

/// The newest system call for which this filter was designed: `mseal` of Linux 6.10.
///
/// To a program, newer system calls seem not to exist. The system calls of the x32 ABI, whose numbers are even higher,
/// seem not to exist either.
const NEWEST: u32 = 462;

/// System calls that seem not to exist. Programs and libraries have a fallback for each.
const ABSENT: [c_long; 5] = [
    // The filter cannot read the flags of `clone3`. Without it, the C library uses `clone`.
    libc::SYS_clone3,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_userfaultfd,
];

/// System calls that are denied to every program.
const DENIED: &[c_long] = &[
    // These calls access the memory and the files of the user's other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_process_mrelease,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    // These calls create objects that outlive a program, or that two programs could share.
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_shmget,
    libc::SYS_msgget,
    libc::SYS_semget,
    libc::SYS_mq_open,
    // In its own namespace, a program could fill file systems in memory that the watch does not see.
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_fsmount,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_mount_setattr,
    // With these calls, a program could make the kernel send `SIGCONT` to it while it is suspended.
    libc::SYS_timer_create,
    libc::SYS_mq_notify,
    // A small page in a pipe keeps the whole huge page allocated that contains it, and no process is charged for that.
    libc::SYS_vmsplice,
    // These calls belong to large kernel subsystems that no player needs.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
];

/// System calls that change modes, owners, times and extended attributes of files.
const ATTRIBUTES: &[c_long] = &[
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    // The number of `fchmodat2`, which the crate `libc` does not define.
    452,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
];

/// Requests of `ioctl` that change attributes of files, even of files opened only for reading.
///
/// These are `FS_IOC_SETFLAGS` and `FS_IOC_FSSETXATTR`.
const SET_FLAGS: [u64; 2] = [0x4008_6602, 0x401c_5820];

/// Requests of `ioctl` that select the process to which a socket sends signals: `FIOSETOWN` and `SIOCSPGRP`.
const SET_OWNER: [u64; 2] = [0x8901, 0x8902];

/// Commands of `fcntl` that select the process to which a file sends signals, and the signal.
///
/// These are `F_SETOWN`, `F_SETSIG` and `F_SETOWN_EX`.
const SIGNALS_OF_FILES: [u64; 3] = [8, 10, 15];

/// The operations of `prctl` that are denied.
///
/// `PR_SET_PDEATHSIG` requests a signal from the kernel. `PR_SET_DUMPABLE` would hide the program from the watch.
/// `PR_SCHED_CORE` can keep other programs off the second hardware thread of a core.
const PROCESS_SETTINGS: [u64; 3] = [1, 4, 62];

/// The flags for all namespaces that `clone` can create.
const NAMESPACES: [i32; 7] = [
    libc::CLONE_NEWNS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
];

/// The bits in the flags of `clone` that select the signal that the parent receives when the child exits.
const EXIT_SIGNAL: u64 = 0xff;

/// The bits of a socket's type, without the flags that the type can also contain.
const KIND: u64 = 0xf;

/// The value of the first argument of `ioprio_set` that selects a single process.
const ONE_PROCESS: u64 = 1;

/// Builds the rules for system calls, some of which are denied only for certain arguments.
#[derive(Default)]
struct Rules(BTreeMap<c_long, Vec<SeccompRule>>);

impl Rules {
    fn deny(&mut self, calls: &[c_long]) {
        self.0.extend(calls.iter().map(|&call| (call, Vec::new())));
    }

    /// Denies a call if its arguments meet all conditions in `all`. The first argument has the number 0.
    fn deny_if(&mut self, call: c_long, all: &[(u8, Length, Op, u64)]) -> io::Result<()> {
        let conditions = all.iter().map(|(argument, length, op, value)| {
            SeccompCondition::new(*argument, length.clone(), op.clone(), *value)
        });
        let conditions = conditions.collect::<Result<_, _>>();
        let rule = conditions.and_then(SeccompRule::new);
        let rules = self.0.entry(call).or_default();
        rules.push(rule.map_err(io::Error::other)?);
        Ok(())
    }

    fn deny_values(&mut self, call: c_long, argument: u8, values: &[u64]) -> io::Result<()> {
        values
            .iter()
            .try_for_each(|&value| self.deny_if(call, &[(argument, Length::Dword, Op::Eq, value)]))
    }

    /// Denies a call unless the argument with this number equals `value`.
    fn deny_unless(&mut self, call: c_long, argument: u8, value: u64) -> io::Result<()> {
        self.deny_if(call, &[(argument, Length::Dword, Op::Ne, value)])
    }

    /// Denies a call if the bits in `mask` of the argument with this number equal `value`.
    fn deny_bits(&mut self, call: c_long, argument: u8, mask: u64, value: u64) -> io::Result<()> {
        self.deny_if(
            call,
            &[(argument, Length::Dword, Op::MaskedEq(mask), value)],
        )
    }
}

impl Filter {
    /// Installs the filter permanently for this process and its descendants.
    ///
    /// # Errors
    ///
    /// Returns an error if the kernel does not support seccomp filters.
    pub(super) fn install(self) -> io::Result<()> {
        apply_filter_all_threads(&self.compiled()?)
            .map_err(|error| io::Error::other(format!("no filter of system calls: {error}")))
    }

    fn rules(self) -> io::Result<Rules> {
        let mut rules = Rules::default();
        rules.deny(DENIED);
        rules.deny_values(libc::SYS_fcntl, 1, &SIGNALS_OF_FILES)?;
        rules.deny_values(libc::SYS_prctl, 0, &PROCESS_SETTINGS)?;
        rules.deny_values(libc::SYS_ioctl, 1, &SET_OWNER)?;
        for namespace in NAMESPACES {
            let namespace = namespace as u64;
            rules.deny_bits(libc::SYS_clone, 0, namespace, namespace)?;
        }
        // A child's exit must not send `SIGCONT` to its parent, which would continue a suspended program.
        rules.deny_bits(libc::SYS_clone, 0, EXIT_SIGNAL, libc::SIGCONT as u64)?;
        // The watch sees only the open files of whole processes, so the threads of a process must share their files.
        let [thread, files] = [libc::CLONE_THREAD, libc::CLONE_FILES].map(|flag| flag as u64);
        rules.deny_bits(libc::SYS_clone, 0, thread | files, thread)?;
        if !self.others {
            // A program may not even choose its own cores. The watch runs on other cores, where the program cannot use
            // up the watch's time.
            rules.deny(&[libc::SYS_sched_setaffinity]);
            for call in [
                libc::SYS_prlimit64,
                libc::SYS_sched_setscheduler,
                libc::SYS_sched_setparam,
                libc::SYS_sched_setattr,
            ] {
                rules.deny_unless(call, 0, 0)?;
            }
            // Priorities may be set only for single processes, because a process group or a user may include the
            // supervisor.
            for (call, one) in [
                (libc::SYS_setpriority, libc::PRIO_PROCESS as u64),
                (libc::SYS_ioprio_set, ONE_PROCESS),
            ] {
                rules.deny_unless(call, 0, one)?;
                rules.deny_unless(call, 1, 0)?;
            }
        }
        if !self.network {
            // Files must not be sent over sockets: while a file is in transit, no process has it open, so the watch
            // misses it.
            rules.deny(&[libc::SYS_socket, libc::SYS_sendmsg, libc::SYS_sendmmsg]);
            // Socket pairs of other kinds are denied, because they can send to named sockets.
            rules.deny_unless(libc::SYS_socketpair, 0, libc::AF_UNIX as u64)?;
            for kind in [libc::SOCK_DGRAM, libc::SOCK_RAW] {
                rules.deny_bits(libc::SYS_socketpair, 1, KIND, kind as u64)?;
            }
        }
        if !self.attributes {
            rules.deny(ATTRIBUTES);
            rules.deny_values(libc::SYS_ioctl, 1, &SET_FLAGS)?;
        }
        if !self.shared_memory {
            // Shared anonymous pages and huge pages stay allocated as long as any part is mapped anywhere, and no
            // process is charged for them.
            let shared = (libc::MAP_SHARED | libc::MAP_ANONYMOUS) as u64;
            rules.deny_bits(libc::SYS_mmap, 3, shared, shared)?;
            let huge = libc::MAP_HUGETLB as u64;
            rules.deny_bits(libc::SYS_mmap, 3, huge, huge)?;
        }
        Ok(rules)
    }

    fn compiled(self) -> io::Result<BpfProgram> {
        let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(io::Error::other)?;
        let filter = SeccompFilter::new(
            self.rules()?.0,
            SeccompAction::Allow,
            SeccompAction::Errno(libc::EPERM as u32),
            arch,
        );
        let denying: BpfProgram = filter
            .and_then(BpfProgram::try_from)
            .map_err(io::Error::other)?;
        // The filter begins with three instructions that would kill a program on another architecture: load, compare,
        // return.
        let ([load, compare, _], denying) = denying
            .split_first_chunk()
            .ok_or_else(|| io::Error::other("an empty filter"))?;
        let absent = instruction(
            BPF_RET | BPF_K,
            [0, 0],
            libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32,
        );
        let number = instruction(BPF_LD | BPF_W | BPF_ABS, [0, 0], 0);
        let mut all = vec![load.clone(), compare.clone(), absent.clone(), number];
        let mut is_absent = |comparison, value| {
            let comparison = instruction(BPF_JMP | comparison | BPF_K, [0, 1], value);
            all.extend([comparison, absent.clone()]);
        };
        is_absent(BPF_JGT, NEWEST);
        let unnamed = [libc::SYS_memfd_create, libc::SYS_memfd_secret];
        let unnamed = unnamed.into_iter().filter(|_| !self.shared_memory);
        for call in ABSENT.into_iter().chain(unnamed) {
            is_absent(BPF_JEQ, call as u32);
        }
        all.extend_from_slice(denying);
        Ok(all)
    }
}

/// Builds one filter instruction. `jt` and `jf` are the numbers of instructions to skip if its test is true or false.
fn instruction(code: u32, [jt, jf]: [u8; 2], k: u32) -> sock_filter {
    sock_filter {
        code: code as u16,
        jt,
        jf,
        k,
    }
}

#[cfg(test)]
mod tests {
    use nix::libc::{BPF_ALU, BPF_AND, BPF_JA, BPF_JGE};

    use super::*;

    const ALLOWED: u32 = libc::SECCOMP_RET_ALLOW;
    const REFUSED: u32 = libc::SECCOMP_RET_ERRNO | libc::EPERM as u32;
    const ABSENT: u32 = libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32;

    /// The number with which the kernel identifies the architecture on which these tests run.
    const NATIVE: u32 = match cfg!(target_arch = "x86_64") {
        true => 0xc000_003e,
        false => 0xc000_00b7,
    };

    /// Returns the kernel's verdict on a system call under this filter.
    ///
    /// The layout of the filter's input is described in seccomp(2).
    fn answer(filter: &[sock_filter], arch: u32, number: u32, arguments: [u64; 6]) -> u32 {
        let mut data = [number.to_ne_bytes(), arch.to_ne_bytes()].concat();
        data.extend([0; 8]);
        data.extend(arguments.iter().flat_map(|word| word.to_ne_bytes()));
        let (mut at, mut held) = (0, 0);
        loop {
            let sock_filter { code, jt, jf, k } = filter[at].clone();
            at += 1;
            let code = u32::from(code);
            let is_met = match code {
                _ if code == BPF_RET | BPF_K => return k,
                _ if code == BPF_LD | BPF_W | BPF_ABS => {
                    let word = data[k as usize..][..4].try_into().expect("four bytes");
                    held = u32::from_ne_bytes(word);
                    continue;
                }
                _ if code == BPF_ALU | BPF_AND | BPF_K => {
                    held &= k;
                    continue;
                }
                _ if code == BPF_JMP | BPF_JA => {
                    at += k as usize;
                    continue;
                }
                _ if code == BPF_JMP | BPF_JEQ | BPF_K => held == k,
                _ if code == BPF_JMP | BPF_JGT | BPF_K => held > k,
                _ if code == BPF_JMP | BPF_JGE | BPF_K => held >= k,
                other => panic!("{other:#x} is no instruction of these filters"),
            };
            at += usize::from(if is_met { jt } else { jf });
        }
    }

    fn all_filters() -> Vec<Filter> {
        (0..16)
            .map(|bits| Filter {
                network: bits & 1 != 0,
                attributes: bits & 2 != 0,
                shared_memory: bits & 4 != 0,
                others: bits & 8 != 0,
            })
            .collect()
    }

    #[test]
    fn a_filter_answers_by_an_error_and_never_kills() {
        for filter in all_filters() {
            let compiled = filter.compiled().expect("a filter");
            let returns = compiled
                .iter()
                .filter(|it| u32::from(it.code) == BPF_RET | BPF_K);
            for it in returns {
                assert!([ALLOWED, REFUSED, ABSENT].contains(&it.k), "{it:?}");
            }
        }
    }

    #[test]
    fn calls_of_other_architectures_of_x32_and_of_later_kernels_do_not_exist() {
        let i386 = 0x4000_0003;
        for filter in all_filters() {
            let compiled = filter.compiled().expect("a filter");
            let read = libc::SYS_read as u32;
            assert_eq!(answer(&compiled, NATIVE, read, [0; 6]), ALLOWED);
            assert_eq!(answer(&compiled, i386, read, [0; 6]), ABSENT);
            for number in [read | 0x4000_0000, NEWEST + 1, u32::MAX] {
                assert_eq!(answer(&compiled, NATIVE, number, [0; 6]), ABSENT);
            }
        }
    }

    #[test]
    fn each_denied_call_is_refused_and_its_harmless_forms_are_not() {
        let compiled = Filter::default().compiled().expect("a filter");
        let says = |call: c_long, arguments: &[u64]| {
            let mut all = [0; 6];
            all[..arguments.len()].copy_from_slice(arguments);
            answer(&compiled, NATIVE, call as u32, all)
        };
        for &call in DENIED
            .iter()
            .chain(ATTRIBUTES)
            .chain([&libc::SYS_socket, &libc::SYS_sched_setaffinity])
        {
            assert_eq!(says(call, &[]), REFUSED, "{call}");
        }
        let thread = (libc::CLONE_VM | libc::CLONE_SIGHAND | libc::CLONE_THREAD) as u64;
        let files = libc::CLONE_FILES as u64;
        let shared = (libc::MAP_SHARED | libc::MAP_ANONYMOUS) as u64;
        let private = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS) as u64;
        let all = u64::MAX;
        for (call, refused, allowed) in [
            (
                libc::SYS_clone,
                [libc::SIGCONT as u64, 0],
                [libc::SIGCHLD as u64, 0],
            ),
            (libc::SYS_clone, [thread, 0], [thread | files, 0]),
            (
                libc::SYS_clone,
                [libc::CLONE_NEWUSER as u64 | 17, 0],
                [17, 0],
            ),
            (libc::SYS_fcntl, [1, 10], [1, 4]),
            (libc::SYS_prctl, [1, 9], [15, 9]),
            (libc::SYS_prlimit64, [1, 0], [0, 0]),
            (libc::SYS_sched_setscheduler, [all, 0], [0, 0]),
            (libc::SYS_setpriority, [1, 0], [0, 0]),
            (libc::SYS_setpriority, [0, 1], [0, 0]),
            (libc::SYS_ioprio_set, [3, 0], [1, 0]),
            (libc::SYS_socketpair, [1, 2 | 0x80000], [1, 1 | 0x80000]),
            (libc::SYS_socketpair, [30, 1], [1, 5]),
            (libc::SYS_ioctl, [0, 0x4008_6602], [0, 0x5401]),
        ] {
            assert_eq!(says(call, &refused), REFUSED, "{call}: {refused:?}");
            assert_eq!(says(call, &allowed), ALLOWED, "{call}: {allowed:?}");
        }
        assert_eq!(says(libc::SYS_mmap, &[0, 1, 3, shared]), REFUSED);
        assert_eq!(says(libc::SYS_mmap, &[0, 1, 3, private]), ALLOWED);
        for call in [
            libc::SYS_memfd_create,
            libc::SYS_clone3,
            libc::SYS_io_uring_setup,
        ] {
            assert_eq!(says(call, &[]), ABSENT, "{call}");
        }
    }
}
