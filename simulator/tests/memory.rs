//! Buffers, layouts, addresses, push constants, atomics.

use coopmat_simulator::program::types::Type;
use coopmat_simulator::{Execution, Program, ProgramOptions, Progress, Resources, Settings};

use crate::support::{HEADER, Run, module, words};

#[test]
fn buffers_are_read_and_written_by_many_invocations() {
    let source = "
        layout(local_size_x = 32) in;
        layout(binding = 0) readonly buffer A { float a[]; };
        layout(binding = 1) writeonly buffer B { float b[]; };
        void main() { uint i = gl_GlobalInvocationID.x; if (i < a.length()) b[i] = a[i] * 2.0; }";
    let input: Vec<f32> = (0..50).map(|i| i as f32).collect();
    let outcome = Run::new(source).groups(2, 1, 1).floats(&input).zeros(64).run();
    let wanted: Vec<f32> = (0..64).map(|i| if i < 50 { i as f32 * 2.0 } else { 0.0 }).collect();
    assert_eq!(outcome.floats(1), wanted);
}

#[test]
fn small_types_lie_beside_each_other() {
    let source = "
        layout(local_size_x = 8) in;
        layout(binding = 0) buffer B { uint8_t b[]; };
        layout(binding = 1) buffer H { uint16_t h[]; };
        layout(binding = 2) buffer F { float16_t f[]; };
        void main() { uint i = gl_LocalInvocationIndex; b[i] = uint8_t(i + 250u); h[i] = uint16_t(b[i]) * uint16_t(257); f[i] = float16_t(i); }";
    let outcome = Run::new(source).zeros(2).zeros(4).zeros(4).run();
    assert_eq!(outcome.bytes(0), [250, 251, 252, 253, 254, 255, 0, 1]);
    let halves: Vec<u16> = outcome.bytes(1).chunks(2).map(|c| u16::from_le_bytes([c[0], c[1]])).collect();
    assert_eq!(halves[5..], [65535, 0, 257]);
    assert_eq!(outcome.bytes(2)[2..4], 0x3c00u16.to_le_bytes());
}

#[test]
fn layouts_place_members() {
    let source = "
        layout(local_size_x = 1) in;
        layout(binding = 0, std430) buffer B { vec3 v; float after; layout(row_major) mat2x3 r; mat2x3 c; vec2 a[2]; };
        layout(binding = 1, std140) uniform U { float x[2]; mat2 m; };
        void main() { after = v.z + x[1]; c = r; r[1][2] = 50.0; a[1] = vec2(r[0].y, m[1].x); a[0] = c[1].xy; }";
    let input: Vec<f32> = (0..24).map(|i| i as f32).collect();
    let uniform: Vec<f32> = (0..16).map(|i| 100.0 + i as f32).collect();
    let found = Run::new(source).floats(&input).floats(&uniform).run().floats(0);
    // `r` is three rows of two from offset 16, 8 bytes apart; `c` two columns of three, 16 bytes apart from offset 48.
    let element = |row: usize, column: usize| (4 + row * 2 + column) as f32;
    assert_eq!(found[3], 2.0 + 104.0);
    assert_eq!(found[9], 50.0);
    assert_eq!(found[12..15], [element(0, 0), element(1, 0), element(2, 0)]);
    assert_eq!(found[16..19], [element(0, 1), element(1, 1), element(2, 1)]);
    assert_eq!(found[20..22], [element(0, 1), element(1, 1)]);
    assert_eq!(found[22..24], [element(1, 0), 112.0]);
}

#[test]
fn addresses_outside_read_zero_and_write_nothing() {
    let source = "
        layout(local_size_x = 4) in;
        layout(binding = 0) buffer A { uint a[]; };
        void main() { uint i = gl_LocalInvocationIndex; uint v = a[i + 1000u]; a[i + 2000u] = 7u; a[i] = v + 1u; }";
    assert_eq!(words(source, 4), [1; 4]);
}

#[test]
fn push_constants_and_arrays_of_buffers() {
    let source = "
        layout(local_size_x = 1) in;
        layout(push_constant) uniform P { uint which; uint n[2]; } p;
        layout(binding = 0) buffer A { uint a[]; } buffers[2];
        void main() { buffers[p.which].a[p.n[1]] = p.n[0]; buffers[1 - p.which].a[0] = buffers[p.which].a.length(); }";
    let mut run = Run::new(source);
    let ids = [4, 8].map(|words| run.resources.buffer(&vec![0; words * 4]));
    for (index, id) in ids.into_iter().enumerate() {
        run.resources.bind(0, 0, index as u32, id);
    }
    let constants: Vec<u8> = [1u32, 77, 3].iter().flat_map(|word| word.to_le_bytes()).collect();
    let outcome = run.push_constants(&constants).run();
    let bytes = |id| outcome.execution.resources().bytes(id);
    assert_eq!(bytes(ids[1])[12], 77);
    assert_eq!(bytes(ids[0])[0], 8);
}

#[test]
fn push_constants_in_banks_lie_one_after_the_other() {
    let source = "
        #extension GL_NV_push_constant_bank : require
        layout(local_size_x = 1) in;
        layout(push_constant) uniform First { uint value; } first;
        layout(push_constant, bank = 1) uniform Second { uint value; uint more[2]; } second;
        layout(push_constant, bank = 1, member_offset = 64) uniform Third { layout(offset = 4) uint value; };
        layout(binding = 0) buffer A { uint a[]; };
        void main() { a[0] = first.value; a[1] = second.value; a[2] = second.more[a[3]]; a[3] = value; }";
    let words = [1u32, 0, 0, 0, 2, 3, 4, 0, 0, 5];
    let constants: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let run = Run::new(source).words(&[0, 0, 0, 1]).push_constants(&constants);
    let program = run.program();
    let (size, type_) = program.interface().push_constants.unwrap();
    let Type::Structure { members, .. } = program.types().get(type_) else { panic!() };
    let named: Vec<_> = members.iter().map(|member| (member.name.as_deref(), member.offset)).collect();
    assert_eq!(
        (size, &named[..]),
        (40, &[(Some("first"), 0), (Some("second"), 16), (Some("Third"), 32)][..])
    );
    assert_eq!(run.run().words(0), [1, 2, 4, 5]);
}

/// GL_EXT_shader_64bit_indexing: an index whose upper half is not zero is outside, and none wraps around.
#[test]
fn buffers_are_indexed_by_64_bits() {
    let source = "
        #extension GL_EXT_shader_64bit_indexing : require
        #pragma shader_64bit_indexing
        #pragma promote_uint32_indices
        layout(local_size_x = 1) in;
        layout(binding = 0) buffer A { uint a[]; };
        void main() {
            int64_t count = a.length64();
            uint64_t far = 0x100000001ul;
            uint high = 0x80000001u;
            a[0] = uint(count);
            a[count - 1l] = 7;
            a[far] = 8;
            a[2] = a[far] + a[high];
        }";
    assert_eq!(words(source, 4), [4, 0, 0, 7]);
}

#[test]
fn a_heap_without_contents_is_an_error_and_an_empty_place_reads_zero() {
    let source = "
        #extension GL_EXT_descriptor_heap : require
        layout(descriptor_heap) buffer B { uint b; } buffers[];
        void main() { buffers[1].b = buffers[0].b + buffers[7].b + 3; }";
    let run = |resources: Resources| {
        let program = Program::new(&module(source), &ProgramOptions::default()).unwrap();
        let mut execution = Execution::new(&program, resources, Settings::default(), [1; 3])?;
        while execution.run(1 << 20)? != Progress::Finished {}
        Ok::<_, coopmat_simulator::RunError>(execution.into_resources())
    };
    let error = run(Resources::new()).unwrap_err();
    assert!(error.message.starts_with("nothing is in the resource heap"), "{}", error.message);
    let mut resources = Resources::new();
    let (read, written) = (resources.buffer(&[5, 0, 0, 0]), resources.buffer(&[0; 4]));
    resources.describe(0, read);
    resources.describe(64, written);
    assert_eq!(run(resources).unwrap().bytes(written), [8, 0, 0, 0]);
}

#[test]
fn ray_queries_are_not_run_and_say_so() {
    let source = "
        #extension GL_EXT_ray_query : require
        layout(binding = 0) uniform accelerationStructureEXT scene;
        layout(binding = 1) buffer B { bool hit; };
        void main() {
            rayQueryEXT q;
            rayQueryInitializeEXT(q, scene, 0, 0xff, vec3(0), 0.0, vec3(1), 9.0);
            hit = rayQueryProceedEXT(q);
        }";
    let error = Program::new(&module(source), &ProgramOptions::default()).unwrap_err();
    assert!(error.message.starts_with("ray queries are not run"), "{}", error.message);
}

#[test]
fn buffer_references_reach_other_buffers() {
    let source = "
        layout(buffer_reference, scalar) buffer Node { uint value; Node next; uint more[2]; };
        layout(local_size_x = 4) in;
        layout(binding = 0, scalar) buffer A { Node first; uint64_t raw; uint o[]; };
        void main() {
            uint i = gl_LocalInvocationIndex; uint sum = 0u;
            Node n = first;
            while (uint64_t(n) != 0ul) { sum += n.value; n = n.next; }
            Node second = Node(raw); second.more[i & 1u] = 40u + i;
            o[i] = sum + (first + 1).value;
        }";
    let mut run = Run::new(source);
    let nodes = run.resources.buffer(&[0; 64]);
    let address = run.resources.address(nodes);
    let mut bytes = vec![0; 64];
    bytes[0] = 5;
    bytes[8..16].copy_from_slice(&(address + 32).to_le_bytes());
    bytes[32] = 6;
    run.resources.write(nodes, 0, &bytes);
    let mut block = [address.to_le_bytes(), (address + 32).to_le_bytes()].concat();
    block.extend([0; 16]);
    let outcome = run.bytes(&block).run();
    // An element is 24 bytes, 32 with the alignment that references have.
    assert_eq!(outcome.words(0)[4..], [17; 4]);
    let nodes = outcome.execution.resources().bytes(nodes);
    assert_eq!((nodes[48], nodes[52]), (42, 43));
}

#[test]
fn atomics_count_every_invocation() {
    let source = "
        layout(local_size_x = 64) in;
        layout(binding = 0) buffer A { uint add; int low; uint high; uint exchanged; float sum; uint or_; uint64_t wide; uint cas; };
        shared uint s;
        void main() {
            uint i = gl_GlobalInvocationID.x;
            if (gl_LocalInvocationIndex == 0u) s = 0u;
            barrier();
            atomicAdd(s, 1u);
            atomicAdd(add, i); atomicMin(low, -int(i)); atomicMax(high, i); atomicAdd(sum, 0.5); atomicOr(or_, 1u << (i % 32u));
            atomicAdd(wide, 0x100000000ul); uint old = atomicCompSwap(cas, i, i + 1u);
            barrier();
            if (gl_LocalInvocationIndex == 0u) atomicExchange(exchanged, s);
        }";
    let found = Run::new(source).groups(2, 1, 1).zeros(10).run().words(0);
    assert_eq!(found[..6], [127 * 64, -127i32 as u32, 127, 64, 64f32.to_bits(), u32::MAX]);
    assert_eq!(found[6..9], [0, 128, 128]);
}

#[test]
fn storage_images_hold_texels() {
    let source = "
        layout(local_size_x = 4, local_size_y = 2) in;
        layout(binding = 0) buffer A { uint o[]; };
        layout(binding = 1, rgba8) uniform image2D image;
        layout(binding = 2, r32ui) uniform uimage2D counter;
        void main() {
            ivec2 at = ivec2(gl_LocalInvocationID.xy);
            imageStore(image, at, vec4(at.x, 0.5, 0, 1));
            imageAtomicAdd(counter, ivec2(0), 2u);
            barrier();
            vec4 t = imageLoad(image, at);
            o[at.y * 4 + at.x] = uint(t.x) * 1000u + uint(t.y * 255.0 + 0.5) + uint(imageSize(image).x) * 10000u;
            o[8] = imageLoad(counter, ivec2(0)).x;
        }";
    let mut run = Run::new(source).zeros(9);
    for binding in [1, 2] {
        let image = run.resources.image(coopmat_simulator::Image::new([4, 2, 1]));
        run.resources.bind_image(0, binding, 0, image);
    }
    let found = run.run().words(0);
    assert_eq!(found, [40128, 41128, 41128, 41128, 40128, 41128, 41128, 41128, 16]);
}

#[test]
fn debug_printf_writes_a_log() {
    let source = r#"
        layout(local_size_x = 2) in;
        layout(binding = 0) buffer A { uint o[]; };
        void main() { debugPrintfEXT("i %d of %u: %.2f %v3f%%", gl_LocalInvocationIndex, 2u, 1.5, vec3(1, 2, 3)); o[0] = 1u; }"#;
    let outcome = Run::new(source).zeros(1).run();
    assert_eq!(
        outcome.execution.log(),
        ["i 0 of 2: 1.50 1.000000, 2.000000, 3.000000%", "i 1 of 2: 1.50 1.000000, 2.000000, 3.000000%"]
    );
}

#[test]
fn what_is_not_bound_is_told() {
    let source = "layout(local_size_x = 1) in; layout(binding = 3) buffer A { uint a[]; } named; void main() { named.a[0] = 1u; }";
    let run = Run::new(source);
    let program = run.program();
    let settings = Default::default();
    let result = coopmat_simulator::Execution::new(&program, Default::default(), settings, [1; 3]);
    let error = result.err().expect("nothing is bound");
    assert_eq!(error.message, "nothing is bound at set 0, binding 3 (named)");
    assert!(!HEADER.is_empty());
}

#[test]
fn the_interface_tells_what_to_bind() {
    let source = "
        layout(local_size_x = 8, local_size_y = 2) in;
        layout(constant_id = 4) const uint K = 9;
        layout(binding = 1, set = 2) readonly buffer In { uvec4 head; uint rest[]; } data;
        layout(push_constant) uniform P { uint a; vec2 b; };
        void main() { if (K + data.rest[0] + a > 4u) return; }";
    let program = Run::new(source).program();
    let interface = program.interface();
    assert_eq!(interface.workgroup_size, [8, 2, 1]);
    let binding = &interface.bindings[0];
    assert_eq!((binding.set, binding.binding, binding.name.as_str()), (2, 1, "data"));
    assert_eq!((binding.size, binding.readonly), (16, true));
    assert_eq!(interface.push_constants.map(|(size, _)| size), Some(16));
    assert_eq!((interface.specialization[0].id, interface.specialization[0].value), (4, 9));
}

#[test]
fn workgroups_run_in_parallel_with_the_same_result() {
    struct Threads;
    impl coopmat_simulator::Pool for Threads {
        fn at_once(&self) -> usize {
            2
        }

        fn run(&self, count: usize, job: &(dyn Fn(usize) + Sync)) {
            std::thread::scope(|scope| {
                for start in 0..2 {
                    scope.spawn(move || (start..count).step_by(2).for_each(job));
                }
            });
        }
    }
    let source = "
        layout(local_size_x = 16) in;
        layout(binding = 0) buffer A { uint8_t o[]; };
        shared uint s[16];
        void main() { uint i = gl_LocalInvocationIndex; s[i] = gl_GlobalInvocationID.x; barrier(); o[gl_GlobalInvocationID.x] = uint8_t(s[15u - i] * 7u); }";
    let one = Run::new(source).groups(20, 1, 1).zeros(80).run().bytes(0);
    let (mut execution, buffers) = Run::new(source).groups(20, 1, 1).zeros(80).execution();
    execution.run_parallel(&Threads).expect("runs");
    assert_eq!(execution.resources().bytes(buffers[0]), one);
    assert_eq!(execution.counts().workgroups, 20);

    // The limit of steps is one for all threads.
    let steps = execution.counts().steps;
    let limited = |limit: u64| {
        let mut run = Run::new(source).groups(20, 1, 1).zeros(80);
        run.settings.step_limit = limit;
        run.execution().0.run_parallel(&Threads).map_err(|error| error.message)
    };
    assert_eq!(limited(steps + 1), Ok(()));
    assert_eq!(limited(steps * 3 / 4), Err(format!("the run takes more than {} steps", steps * 3 / 4)));
}
