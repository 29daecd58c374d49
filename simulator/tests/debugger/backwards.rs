//! Going back shows the same again: examples of every family, forwards and backwards.

use std::path::Path;

use coopmat_simulator::debugger::{Advance, Command, Debugger, Motion, Reason, Setup};
use coopmat_simulator::{Resources, Settings};

use super::session::{Session, compile};

const RACE_FREE: &str = "layout(local_size_x = 16) in;
layout(binding = 0) buffer Out { uint o[]; };
shared uint tile[16];
uint mix_(uint a, uint b) {
    return a * 31u + b;
}
void main() {
    uint me = gl_LocalInvocationIndex;
    uint x = me + o[me];
    for (uint step_ = 1; step_ < 8; step_ <<= 1) {
        tile[me] = x;
        barrier();
        if (me >= step_)
            x = mix_(x, tile[me - step_]);
        barrier();
    }
    atomicAdd(o[63], x);
    o[me] = x;
}
";

#[test]
fn every_moment_is_the_same_again() {
    for checked in [false, true] {
        let settings = Settings { subgroup_size: 4, checked, ..Settings::default() };
        let mut session = Session::new(RACE_FREE, settings, [2, 1, 1], &[vec![3; 256]]);
        let mut moments = vec![session.everything()];
        while session.go(Motion::Instruction).reason != Reason::End {
            moments.push(session.everything());
        }
        let end = session.debugger.time();
        assert!(moments.len() > 200, "{}", moments.len());
        for expected in moments.iter().rev() {
            let time: u64 = expected.lines().next().unwrap().parse().unwrap();
            session.go(Motion::Time(time));
            assert_eq!(&session.everything(), expected);
        }
        // A stride that has nothing to do with the kept moments.
        for index in 0..moments.len() {
            let expected = &moments[index * 7919 % moments.len()];
            let time: u64 = expected.lines().next().unwrap().parse().unwrap();
            session.go(Motion::Time(time));
            assert_eq!(&session.everything(), expected);
        }
        assert_eq!(session.go(Motion::End).reason, Reason::End);
        assert_eq!(session.debugger.time(), end);
    }
}

/// Buffers that are large enough for what the examples read, filled with small numbers.
fn resources(debuggable: &coopmat_simulator::Program) -> Resources {
    let mut resources = Resources::new();
    for binding in &debuggable.interface().bindings {
        let bytes: Vec<u8> = (0..1 << 15).map(|index: u32| (index * 37 % 11) as u8).collect();
        let buffer = resources.buffer(&bytes);
        resources.bind(binding.set, binding.binding, 0, buffer);
    }
    if let Some((size, _)) = debuggable.interface().push_constants {
        resources.push_constants(&vec![0; size as usize]);
    }
    resources
}

fn finish(debugger: &mut Debugger, motion: Motion, backwards: bool) -> Reason {
    debugger.begin(Command { motion, backwards });
    loop {
        if let Advance::Stopped(stop) = debugger.advance(10_000) {
            return stop.reason;
        }
    }
}

fn seen(debugger: &Debugger) -> String {
    let mut text = format!("{} {:?}\n", debugger.time(), debugger.stack());
    for frame in 0..debugger.stack().len() {
        for variable in debugger.variables(frame) {
            text.push_str(&format!(
                "{} {}\n",
                variable.name,
                super::session::shown(&variable.value, u128::MAX)
            ));
        }
    }
    text
}

#[test]
fn examples_step_back_to_the_same_values() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let mut count = 0;
    for folder in ["khr", "nv2", "qcom", "coopvec"] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "comp") {
                continue;
            }
            let source = std::fs::read_to_string(&path).unwrap();
            let (module, lines) = compile(&source, "");
            let Ok(program) = coopmat_simulator::Program::new(&module, &Default::default()) else { continue };
            // What is in a heap only a recipe says.
            if program.interface().heaps.contains(&true) {
                continue;
            }
            let size = program.interface().subgroup_size.unwrap_or(32);
            let settings = Settings { subgroup_size: size, ..Settings::default() };
            let setup = Setup {
                module: &module,
                entry: None,
                specialization: &[],
                resources: resources(&program),
                settings,
                groups: [1; 3],
                lines: Some(lines),
            };
            let mut debugger = Debugger::new(setup).unwrap();
            let mut moments = Vec::new();
            let focus = debugger.focus();
            for _ in 0..25 {
                moments.push(seen(&debugger));
                let reason = finish(&mut debugger, Motion::Into, false);
                // Whoever follows another subgroup goes back in that one.
                if reason != Reason::Step || debugger.focus() != focus {
                    break;
                }
            }
            if debugger.focus() != focus {
                let Some(last) = moments.last() else { continue };
                let time = last.split(' ').next().unwrap().parse().unwrap();
                finish(&mut debugger, Motion::Time(time), true);
            } else {
                moments.push(seen(&debugger));
            }
            for expected in moments.iter().rev().skip(1) {
                finish(&mut debugger, Motion::Into, true);
                assert!(
                    seen(&debugger) == *expected,
                    "{}: {} is not {expected}",
                    path.display(),
                    seen(&debugger)
                );
            }
            count += 1;
        }
    }
    assert!(count >= 20, "{count}");
}
