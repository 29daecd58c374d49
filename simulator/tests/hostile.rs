//! Malformed modules: an error or a run that ends, never a panic or a hang.

use coopmat_simulator::{
    BindingKind, Execution, Filter, Image, Program, ProgramOptions, Resources, Sampler, Settings,
};
use coopmat_spirv::dr::{Instruction, Module, Operand};
use coopmat_spirv::spirv::{Decoration, Op, StorageClass};
use coopmat_spirv::{assemble, inst, load};

const SHADERS: [&str; 5] = [
    "layout(local_size_x = 8) in;
    layout(binding = 0) buffer Out { uint o[]; };
    layout(constant_id = 1) const uint N = 4;
    shared uint s[N * 2u];
    uint f(inout uint v, uint n) { for (uint i = 0u; i < n; i++) { if (v == i) return i; v += i; } return v; }
    void main() {
        uint i = gl_LocalInvocationIndex; uint t[4]; t[i & 3u] = i; s[i % (N * 2u)] = i;
        barrier();
        switch (i % 3u) { case 0u: t[0] = f(t[1], i); case 1u: t[1] += 1u; break; default: t[2] = s[i ^ 1u]; }
        o[i] = t[0] + subgroupAdd(t[1]) + atomicAdd(o[0], 1u);
    }",
    "layout(local_size_x = 4) in;
    layout(binding = 0) buffer Out { mat3 m; vec4 v[]; };
    void main() {
        uint i = gl_LocalInvocationIndex; vec3 a = m * v[i].xyz; mat3 b = transpose(m) * inverse(m + mat3(1));
        v[i] = vec4(normalize(a), dot(a, b[1])) + vec4(float16_t(a.x), double(a.y), int8_t(a.z), unpackHalf2x16(i).x);
    }",
    "layout(buffer_reference, scalar) buffer Node { uint value; Node next; };
    layout(local_size_x = 4) in;
    layout(binding = 0, scalar) buffer A { Node first; uint64_t raw; uint o[]; };
    layout(binding = 1, r32ui) uniform uimage2D image;
    void main() {
        Node n = first; uint k = 0u;
        while (uint64_t(n) != 0ul && k++ < 4u) { o[k] += n.value; n = n.next; }
        imageAtomicAdd(image, ivec2(k), 1u); o[9] = imageLoad(image, ivec2(0)).x;
        debugPrintfEXT(\"%d\", k);
    }",
    "layout(local_size_x = 8) in;
    layout(binding = 0) buffer Out { uint o[]; } b[2];
    struct S { uint a; vec2 b[2]; };
    void main() {
        uint i = gl_SubgroupInvocationID; S s; s.b[i & 1u] = vec2(i); S r = i > 2u ? s : S(1u, vec2[](vec2(0), vec2(1)));
        uvec4 ballot = subgroupBallot(r.b[1].x > 1.0);
        b[i & 1u].o[i] = subgroupShuffleXor(r.a, 1u) + subgroupClusteredAdd(ballot.x, 4u) + bitfieldExtract(r.a, 1, 3);
    }",
    "layout(local_size_x = 8) in;
    layout(binding = 0) buffer Out { vec4 o[]; };
    layout(binding = 1) uniform sampler2DArray layers;
    layout(binding = 2) uniform utexture3D volume;
    layout(binding = 3) uniform sampler way;
    layout(binding = 4, rgba8) uniform image2D canvas;
    void main() {
        uint i = gl_LocalInvocationIndex; vec2 at = vec2(i) * 0.3 - 1.0;
        vec4 v = textureLodOffset(layers, vec3(at, i), float(i) * 0.5, ivec2(1, -2)) + textureGrad(layers, vec3(at, 1), at, at.yx);
        v += vec4(textureLod(usampler3D(volume, way), vec3(at, 0.5), 1.0)) + vec4(texelFetch(layers, ivec3(i, 1, 0), int(i)));
        imageStore(canvas, ivec2(i, 1), v);
        o[i] = v + vec4(textureSize(layers, int(i)), textureQueryLevels(layers)) + imageLoad(canvas, ivec2(i, 0));
    }",
];

/// A generator of the same numbers every time.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % below.max(1)
    }
}

fn try_run(words: &[u32]) {
    let Ok(module) = load(words) else { return };
    let Ok(program) = Program::new(&module, &ProgramOptions::default()) else { return };
    let mut resources = Resources::new();
    for (index, binding) in program.interface().bindings.iter().enumerate() {
        for element in 0..binding.count.unwrap_or(1).min(4) {
            let (set, number) = (binding.set, binding.binding);
            if matches!(binding.kind, BindingKind::SampledImage | BindingKind::StorageImage) {
                let image = resources.image(Image::with_levels([4, 3, 2], 2, 2));
                resources.bind_image(set, number, element, image);
            } else {
                let buffer = resources.buffer(&[index as u8; 64]);
                resources.bind(set, number, element, buffer);
            }
            let linear = Filter::Linear;
            let sampler =
                Sampler { magnify: linear, minify: linear, between_levels: linear, ..Sampler::default() };
            resources.bind_sampler(set, number, element, sampler);
        }
    }
    resources.push_constants(&[0; 256]);
    let settings =
        Settings { step_limit: 3000, memory_limit: 1 << 24, subgroup_size: 8, ..Settings::default() };
    if let Ok(mut execution) = Execution::new(&program, resources, settings, [1; 3]) {
        // How it ends does not matter.
        while let Ok(coopmat_simulator::Progress::Running { .. }) = execution.run(1000) {}
        let _ = execution.counts();
    }
}

#[test]
fn mutated_modules_do_no_harm() {
    let mut numbers = Numbers(7);
    for shader in SHADERS {
        let words = assemble(&crate::support::module(shader)).expect("a valid module");
        try_run(&words);
        for _ in 0..std::env::var("MUTATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(1500) {
            let mut mutated = words.clone();
            for _ in 0..1 + numbers.next(3) {
                let at = 5 + numbers.next(mutated.len() - 5);
                mutated[at] = match numbers.next(4) {
                    0 => mutated[numbers.next(words.len())],
                    1 => numbers.next(words[3] as usize) as u32,
                    2 => mutated[at] ^ 1 << numbers.next(32),
                    _ => numbers.next(64) as u32,
                };
            }
            try_run(&mutated);
        }
    }
}

/// Columns whose components lie gigabytes apart are outside of the buffer, wherever 32 bits would put them.
#[test]
fn steps_of_matrices_may_be_huge() {
    let source = "layout(local_size_x = 4) in;
        layout(binding = 0, row_major) buffer A { mat4 m; };
        layout(binding = 1) buffer O { float o[]; };
        void main() {
            uint i = gl_LocalInvocationIndex;
            vec4 one = m[1], own = m[i];
            o[i] = one.x + own.w; m[i] = own;
        }";
    let mut module = crate::support::module(source);
    for annotation in &mut module.annotations {
        if let [.., Operand::Decoration(Decoration::MatrixStride), Operand::LiteralBit32(stride)] =
            &mut annotation.operands[..]
        {
            *stride = 0xc000_0000;
        }
    }
    let ones = [1.0; 16];
    let run = || crate::support::Run::of(module.clone()).subgroup_size(4).floats(&ones).zeros(4);
    assert_eq!(run().run().floats(1), [1.0; 4]);
    let mut checked = run();
    checked.settings.checked = true;
    assert_eq!(checked.run().floats(1), [1.0; 4]);
}

/// Arrays of more elements than anything can count through, of nothing and of numbers.
#[test]
fn arrays_may_be_endless() {
    let source = "layout(local_size_x = 1) in;
        layout(binding = 0) buffer O { uint o[]; };
        void main() { o[0] = 5u; }";
    let mut module = crate::support::module(source);
    let header = module.header.as_mut().expect("a header");
    let first = header.bound;
    header.bound += 20;
    let id = |number: u32| Operand::IdRef(first + number);
    let types = &module.types_global_values;
    let uint = types.iter().find(|i| i.class.opcode == Op::TypeInt).and_then(|i| i.result_id);
    let uint = uint.expect("a type of integers");
    let mut declare = |op, type_: Option<u32>, number: u32, operands: Vec<Operand>| {
        module.types_global_values.push(inst(op, type_, Some(first + number), operands));
    };
    declare(Op::Constant, Some(uint), 0, vec![Operand::LiteralBit32(u32::MAX)]);
    declare(Op::TypeStruct, None, 1, vec![]);
    declare(Op::TypeArray, None, 2, vec![id(1), id(0)]);
    declare(Op::TypeArray, None, 3, vec![id(2), id(0)]);
    declare(Op::TypePointer, None, 4, vec![Operand::StorageClass(StorageClass::Workgroup), id(3)]);
    declare(Op::Variable, Some(first + 4), 5, vec![Operand::StorageClass(StorageClass::Workgroup)]);
    declare(Op::ConstantComposite, Some(first + 1), 6, vec![]);
    declare(Op::ConstantCompositeReplicateEXT, Some(first + 2), 7, vec![id(6)]);
    declare(Op::TypeArray, None, 8, vec![Operand::IdRef(uint), id(0)]);
    let with = |made: Vec<coopmat_spirv::dr::Instruction>| {
        let mut module = module.clone();
        let block = &mut module.functions[0].blocks[0].instructions;
        let end = block.len() - 1;
        block.splice(end..end, made);
        Program::new(&module, &ProgramOptions::default()).map(|_| ()).map_err(|error| error.message)
    };
    assert_eq!(with(vec![inst(Op::Load, Some(first + 3), Some(first + 10), vec![id(5)])]), Ok(()));
    let replicated = |type_: u32, part: Operand| {
        with(vec![inst(Op::CompositeConstructReplicateEXT, Some(type_), Some(first + 11), vec![part])])
    };
    assert_eq!(replicated(first + 2, id(6)), Ok(()));
    assert_eq!(
        replicated(first + 8, id(0)),
        Err("a value of this type is too large for the simulator".to_owned())
    );
}

fn refusal(module: &Module) -> Option<String> {
    Program::new(module, &ProgramOptions::default()).err().map(|error| error.message)
}

/// A pointer to a variable says where the simulator keeps it, which depends on what else it keeps: no module gets to see it as a number.
#[test]
fn pointers_are_no_numbers() {
    let source = "layout(local_size_x = 1) in;
        layout(binding = 0) buffer O { uint o[]; };
        void main() { uint a[2]; uint i = o[0]; a[i] = 7u; o[1] = a[i] + i; }";
    let module = crate::support::module(source);
    let is = |op: Op| move |source: &&Instruction| source.class.opcode == op;
    let uint = module.types_global_values.iter().find(is(Op::TypeInt)).and_then(|source| source.result_id);
    let uint = uint.expect("a type of integers");
    let code = || module.functions[0].all_inst_iter();
    let variable = code().find(is(Op::Variable)).and_then(|source| source.result_id).expect("the array");
    let into_it = |source: &&Instruction| source.operands.first() == Some(&Operand::IdRef(variable));
    let element = code().filter(is(Op::AccessChain)).find(into_it).and_then(|source| source.result_id);
    let element = element.expect("an element of the array");
    let with = |change: &dyn Fn(&mut Instruction)| {
        let mut module = module.clone();
        module.functions[0].all_inst_iter_mut().for_each(change);
        refusal(&module)
    };
    assert_eq!(with(&|_| {}), None);
    let stored = with(&|source| {
        if source.class.opcode == Op::Store && source.operands[0] == Operand::IdRef(element) {
            source.operands[1] = Operand::IdRef(variable);
        }
    });
    assert_eq!(stored, Some(format!("a stored value is a pointer, expected one of the type %{uint}")));
    let typed = with(&|source| {
        if source.result_id == Some(element) {
            source.result_type = Some(uint);
        }
    });
    assert_eq!(typed, Some(format!("OpAccessChain makes a pointer, but its type %{uint} is none")));
    let added = with(&|source| {
        if source.class.opcode == Op::IAdd {
            source.operands[1] = Operand::IdRef(variable);
        }
    });
    let told =
        "operand 1 of OpIAdd is a pointer to a variable, an image or a sampler, which it does not take";
    assert_eq!(added.as_deref(), Some(told));
}

/// A vector of more components than a value has room for.
#[test]
fn vectors_may_be_endless() {
    let mut module = crate::support::module("layout(local_size_x = 1) in; void main() {}");
    let header = module.header.as_mut().expect("a header");
    let first = header.bound;
    header.bound += 2;
    let byte = vec![Operand::LiteralBit32(8), Operand::LiteralBit32(0)];
    let bytes = vec![Operand::IdRef(first), Operand::LiteralBit32(u32::MAX)];
    module.types_global_values.push(inst(Op::TypeInt, None, Some(first), byte));
    assert_eq!(refusal(&module), None);
    module.types_global_values.push(inst(Op::TypeVector, None, Some(first + 1), bytes));
    let told =
        "a vector or matrix of 4294967295 parts is too large for the simulator: it takes up to 1048576 words";
    assert_eq!(refusal(&module).as_deref(), Some(told));
}
