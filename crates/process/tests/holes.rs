//! Checks that the probe really tests each printed claim about the isolation.
//!
//! If a test makes a hole in a wall, the claim about this wall must become false.
//!
//! These tests run without the usual test harness, because this program is its own helper and runs the probes itself.

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    linux::main()
}

#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::BTreeSet;
    use std::process::ExitCode;

    use turnwise_process::guard::Guard;
    use turnwise_process::helper;
    use turnwise_process::holes::{Access, LITTLE, Limits, Wall, tried};
    use turnwise_process::isolation::Isolation;

    /// A hole in a wall, and the access that the hole opens.
    type Hole = (Access, fn(&mut Limits));

    /// Every access that Landlock, the filter, the limits or a separate user deny, with a change that allows it.
    const HOLES: [Hole; 11] = [
        (Access::Read, |limits| {
            limits.readable = Some(vec!["/".into()])
        }),
        (Access::Write, without_landlock),
        (Access::Attributes, |limits| {
            limits.user = None;
            limits.filter.attributes = true;
        }),
        (Access::Tcp, |limits| limits.filter.network = true),
        (Access::Udp, |limits| limits.filter.network = true),
        (Access::Unix, |limits| limits.filter.network = true),
        (Access::Signal, without_landlock),
        (Access::Others, |limits| {
            limits.user = None;
            limits.filter.others = true;
        }),
        (Access::Memory, |limits| limits.memory = 1 << 40),
        (Access::SharedMemory, |limits| {
            limits.filter.shared_memory = true;
        }),
        (Access::Processes, |limits| limits.processes = [1 << 20; 2]),
    ];

    fn without_landlock(limits: &mut Limits) {
        limits.readable = None;
        limits.user = None;
    }

    fn open(wall: Wall, isolation: &Isolation, loosen: &dyn Fn(&mut Limits)) -> BTreeSet<Access> {
        tried(wall, isolation, loosen).expect("a probe runs")
    }

    pub fn main() -> ExitCode {
        if let Some(code) = helper::run(std::env::args_os().skip(1)) {
            return code;
        }
        let _guard = Guard::start().expect("it can be started");
        // Landlock does not hide the sizes of files, and the kernel has no limit on the number of root's processes.
        let uncounted = BTreeSet::from([Access::Stat, Access::Processes]);
        let whole = open(Wall::Landlock, &LITTLE, &|_| ());
        assert!(whole.is_subset(&uncounted), "open: {whole:?}");
        for (access, hole) in HOLES {
            let open = open(Wall::Landlock, &LITTLE, &hole);
            assert!(
                open.contains(&access),
                "no {access:?} by its hole: {open:?}"
            );
        }
        let unwalled = tried(Wall::Bubblewrap, &LITTLE, &|_| ());
        match unwalled {
            Err(why) => println!("skipped: holes in namespaces: {why}"),
            Ok(whole) => {
                assert_eq!(whole, BTreeSet::new());
                let isolation = Isolation {
                    readable: vec![std::env::temp_dir()],
                    ..LITTLE
                };
                // The test's folder then replaces the program's folder in memory, and contains many files.
                let loosen = |limits: &mut Limits| limits.in_memory.clear();
                let open = open(Wall::Bubblewrap, &isolation, &loosen);
                for access in [Access::Read, Access::Stat] {
                    assert!(
                        open.contains(&access),
                        "no {access:?} by its hole: {open:?}"
                    );
                }
            }
        }
        println!("every claim turns false when its wall has a hole");
        ExitCode::SUCCESS
    }
}
