//! Who lowers an instruction: every one that anybody knows, in one exhaustive match.
//!
//! What is executed stands here by name. Of what is not, families of `coopmat_spirv`'s table stand as a whole (`all`), and the rest by name: an
//! instruction that is new in another family fails to compile here until somebody says who executes it, or why nobody does.

use coopmat_spirv::Opcode;

/// The file of this folder, or of `matrix/`, that lowers an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lowerer {
    Matrix,
    Memory,
    Integer,
    Float,
    Composite,
    Conversion,
    Logic,
    Extended,
    Control,
    Subgroup,
    Atomic,
    Dot,
    Image,
    /// Cooperative vectors and memory.
    Vector,
    Clock,
    /// It says something about the program, and does nothing.
    Ignored,
    /// An error when it is executed, with the reason.
    NotExecuted(&'static str),
    /// Nobody knows what it does.
    Unknown,
}

macro_rules! lowerers {
    ($($lowerer:ident $(($reason:literal))? $(all [$($family:ident)*])? { $($opcode:ident)* })*) => {
        impl Lowerer {
            pub fn of(opcode: Opcode) -> Lowerer {
                match opcode {
                    $(
                        $($(| coopmat_spirv::family!($family))*)? $(| Opcode::$opcode)* => {
                            Lowerer::$lowerer $(($reason))?
                        }
                    )*
                    Opcode::Unknown => Lowerer::Unknown,
                }
            }
        }
    };
}

lowerers! {
    Matrix {
        CooperativeMatrixLoadKHR CooperativeMatrixStoreKHR CooperativeMatrixMulAddKHR CooperativeMatrixLengthKHR
        BitCastArrayQCOM CompositeConstructCoopMatQCOM CompositeExtractCoopMatQCOM ExtractSubArrayQCOM
        CooperativeMatrixConvertNV CooperativeMatrixLoadNV CooperativeMatrixStoreNV CooperativeMatrixMulAddNV
        CooperativeMatrixLengthNV CooperativeMatrixGetCoordinateEXT CooperativeMatrixReduceNV
        CooperativeMatrixLoadTensorNV CooperativeMatrixStoreTensorNV CooperativeMatrixPerElementOpNV
        CreateTensorLayoutNV TensorLayoutSetDimensionNV TensorLayoutSetStrideNV TensorLayoutSliceNV
        TensorLayoutSetClampValueNV CreateTensorViewNV TensorViewSetDimensionNV TensorViewSetStrideNV
        TensorViewSetClipNV TensorLayoutSetBlockSizeNV CooperativeMatrixTransposeNV
    }
    Memory {
        Load Store CopyMemory AccessChain InBoundsAccessChain PtrAccessChain ArrayLength InBoundsPtrAccessChain
        UntypedAccessChainKHR UntypedInBoundsAccessChainKHR UntypedPtrAccessChainKHR
        UntypedInBoundsPtrAccessChainKHR UntypedArrayLengthKHR BufferPointerEXT
    }
    Integer {
        SNegate IAdd ISub IMul UDiv SDiv UMod SRem SMod IAddCarry ISubBorrow UMulExtended SMulExtended IEqual
        INotEqual UGreaterThan SGreaterThan UGreaterThanEqual SGreaterThanEqual ULessThan SLessThan ULessThanEqual
        SLessThanEqual ShiftRightLogical ShiftRightArithmetic ShiftLeftLogical BitwiseOr BitwiseXor BitwiseAnd Not
        BitFieldInsert BitFieldSExtract BitFieldUExtract BitReverse BitCount PtrEqual PtrNotEqual
        UCountLeadingZerosINTEL UCountTrailingZerosINTEL AbsISubINTEL AbsUSubINTEL IAddSatINTEL UAddSatINTEL
        IAverageINTEL UAverageINTEL IAverageRoundedINTEL UAverageRoundedINTEL ISubSatINTEL USubSatINTEL IMul32x16INTEL
        UMul32x16INTEL
    }
    Float {
        FNegate FAdd FSub FMul FDiv FRem FMod VectorTimesScalar MatrixTimesScalar VectorTimesMatrix
        MatrixTimesVector MatrixTimesMatrix OuterProduct Dot IsNan IsInf IsFinite SignBitSet LessOrGreater Ordered
        Unordered FOrdEqual FUnordEqual FOrdNotEqual FUnordNotEqual FOrdLessThan FUnordLessThan FOrdGreaterThan
        FUnordGreaterThan FOrdLessThanEqual FUnordLessThanEqual FOrdGreaterThanEqual FUnordGreaterThanEqual FmaKHR
    }
    Composite {
        Undef VectorExtractDynamic VectorInsertDynamic VectorShuffle CompositeConstruct CompositeExtract
        CompositeInsert CopyObject Transpose CopyLogical CompositeConstructReplicateEXT PoisonKHR FreezeKHR
        ExpectKHR ArithmeticFenceEXT
    }
    Conversion {
        ConvertFToU ConvertFToS ConvertSToF ConvertUToF UConvert SConvert FConvert QuantizeToF16 ConvertPtrToU
        SatConvertSToU SatConvertUToS ConvertUToPtr PtrCastToGeneric GenericCastToPtr Bitcast BitcastExtractEXT
        ConvertFToBF16INTEL ConvertBF16ToFINTEL
    }
    Logic {
        Any All LogicalEqual LogicalNotEqual LogicalOr LogicalAnd LogicalNot Select
    }
    Extended {
        ExtInst ExtInstWithForwardRefsKHR
    }
    Control {
        FunctionCall ControlBarrier ControlBarrierArriveINTEL ControlBarrierWaitINTEL MemoryBarrier
    }
    Subgroup {
        GroupAll GroupAny GroupBroadcast GroupIAdd GroupFAdd GroupFMin GroupUMin GroupSMin GroupFMax GroupUMax
        GroupSMax GroupNonUniformElect GroupNonUniformAll GroupNonUniformAny GroupNonUniformAllEqual
        GroupNonUniformBroadcast GroupNonUniformBroadcastFirst GroupNonUniformBallot GroupNonUniformInverseBallot
        GroupNonUniformBallotBitExtract GroupNonUniformBallotBitCount GroupNonUniformBallotFindLSB
        GroupNonUniformBallotFindMSB GroupNonUniformShuffle GroupNonUniformShuffleXor GroupNonUniformShuffleUp
        GroupNonUniformShuffleDown GroupNonUniformIAdd GroupNonUniformFAdd GroupNonUniformIMul GroupNonUniformFMul
        GroupNonUniformSMin GroupNonUniformUMin GroupNonUniformFMin GroupNonUniformSMax GroupNonUniformUMax
        GroupNonUniformFMax GroupNonUniformBitwiseAnd GroupNonUniformBitwiseOr GroupNonUniformBitwiseXor
        GroupNonUniformLogicalAnd GroupNonUniformLogicalOr GroupNonUniformLogicalXor GroupNonUniformQuadBroadcast
        GroupNonUniformQuadSwap SubgroupBallotKHR SubgroupFirstInvocationKHR SubgroupAllKHR SubgroupAnyKHR
        SubgroupAllEqualKHR GroupNonUniformRotateKHR SubgroupReadInvocationKHR GroupNonUniformQuadAllKHR
        GroupNonUniformQuadAnyKHR GroupNonUniformPartitionEXT GroupIMulKHR GroupFMulKHR
        GroupIAddNonUniformAMD GroupFAddNonUniformAMD GroupFMinNonUniformAMD GroupUMinNonUniformAMD
        GroupSMinNonUniformAMD GroupFMaxNonUniformAMD GroupUMaxNonUniformAMD GroupSMaxNonUniformAMD
    }
    Atomic {
        ImageTexelPointer UntypedImageTexelPointerEXT AtomicLoad AtomicStore AtomicExchange AtomicCompareExchange
        AtomicCompareExchangeWeak
        AtomicIIncrement AtomicIDecrement AtomicIAdd AtomicISub AtomicSMin AtomicUMin AtomicSMax AtomicUMax
        AtomicAnd AtomicOr AtomicXor AtomicFMinEXT AtomicFMaxEXT AtomicFAddEXT
    }
    Dot {
        SDot UDot SUDot SDotAccSat UDotAccSat SUDotAccSat FDot2MixAcc32VALVE FDot2MixAcc16VALVE FDot4MixAcc32VALVE
    }
    Image {
        SampledImage ImageSampleImplicitLod ImageSampleExplicitLod ImageFetch ImageRead ImageWrite Image
        ImageQuerySizeLod ImageQuerySize ImageQueryLevels ImageQuerySamples ImageSampleProjImplicitLod
        ImageSampleProjExplicitLod ImageGather
    }
    Vector all [CooperativeVector] {}
    Clock {
        ReadClockKHR
    }
    Ignored {
        Nop Line LoopMerge SelectionMerge LifetimeStart LifetimeStop NoLine AssumeTrueKHR
    }
    NotExecuted("it is not inside a block") all [Module Import Annotation Type Constant Function Phi Variable] {
        SourceContinued Source SourceExtension Name MemberName String Label Branch BranchConditional Switch Kill Return
        ReturnValue Unreachable ModuleProcessed TerminateInvocation AbortKHR DemoteToHelperInvocation LoopControlINTEL
    }
    NotExecuted("function pointers and inline assembly are not supported") {
        FunctionPointerCallINTEL AsmTargetINTEL AsmINTEL AsmCallINTEL
    }
    NotExecuted("it belongs to a stage other than compute") all [Graphics] {}
    NotExecuted("ray queries and ray tracing are not run") all [RayTracing] {}
    NotExecuted("derivatives are not supported") all [Derivative] {}
    NotExecuted("comparison and residency of images are not supported") {
        ImageSampleDrefImplicitLod ImageSampleDrefExplicitLod
        ImageSampleProjDrefImplicitLod ImageSampleProjDrefExplicitLod ImageDrefGather ImageQueryFormat
        ImageQueryOrder ImageQueryLod ImageSparseSampleImplicitLod ImageSparseSampleExplicitLod
        ImageSparseSampleDrefImplicitLod ImageSparseSampleDrefExplicitLod ImageSparseSampleProjImplicitLod
        ImageSparseSampleProjExplicitLod ImageSparseSampleProjDrefImplicitLod ImageSparseSampleProjDrefExplicitLod
        ImageSparseFetch ImageSparseGather ImageSparseDrefGather ImageSparseTexelsResident ImageSparseRead
        ImageSampleWeightedQCOM ImageBoxFilterQCOM ImageBlockMatchSSDQCOM ImageBlockMatchSADQCOM
        ImageBlockMatchWindowSSDQCOM ImageBlockMatchWindowSADQCOM ImageBlockMatchGatherSSDQCOM
        ImageBlockMatchGatherSADQCOM ImageGatherQCOM FragmentMaskFetchAMD FragmentFetchAMD
        ImageSampleFootprintNV
    }
    NotExecuted("images and samplers are not numbers") all [Bindless BindlessMode] {}
    NotExecuted("it belongs to OpenCL") all [GroupCopy Kernel] {
        NamedBarrierInitialize MemoryNamedBarrier
    }
    NotExecuted("group operations other than vote, broadcast, add and compare are not supported") all [SubgroupBlock] {
        SubgroupShuffleINTEL SubgroupShuffleDownINTEL SubgroupShuffleUpINTEL SubgroupShuffleXorINTEL
        GroupBitwiseAndKHR GroupBitwiseOrKHR GroupBitwiseXorKHR GroupLogicalAndKHR GroupLogicalOrKHR GroupLogicalXorKHR
    }
    NotExecuted("Arm's tensors are not supported") all [Tensor Graph] {}
    NotExecuted("work graphs are not supported") all [WorkGraph] {}
    NotExecuted("motion estimation is not supported") all [VideoMotion] {}
    NotExecuted("numbers of arbitrary width are not supported") all [ArbitraryPrecision] {}
    NotExecuted("what it is needed for is not supported yet") {
        CopyMemorySized GenericPtrMemSemantics GenericCastToPtrExplicit IsNormal AtomicFlagTestAndSet AtomicFlagClear
        PtrDiff UntypedPrefetchKHR BFloat16MulAddQCOM RawAccessChainNV PtrCastToCrossWorkgroupALTERA
        CrossWorkgroupCastToPtrALTERA CompositeConstructContinuedINTEL BitwiseFunctionINTEL ConditionalCopyObjectINTEL
        PredicatedLoadINTEL PredicatedStoreINTEL RoundFToTF32INTEL MaskedGatherINTEL MaskedScatterINTEL
    }
}

#[cfg(test)]
mod tests {
    use coopmat_spirv::grammar::{Effect, Together};

    use super::*;

    /// Who lowers an instruction fits what the table of instructions says of it.
    #[test]
    fn arithmetic_has_no_effect_and_subgroups_exchange() {
        for &opcode in Opcode::ALL {
            let facts = opcode.facts();
            let fits = match Lowerer::of(opcode) {
                Lowerer::Integer
                | Lowerer::Float
                | Lowerer::Composite
                | Lowerer::Conversion
                | Lowerer::Logic
                | Lowerer::Dot => {
                    facts.effect == Effect::Nothing
                        && matches!(facts.together, Together::Apart | Together::Matrix)
                }
                Lowerer::Subgroup => {
                    facts.effect == Effect::Nothing
                        && matches!(facts.together, Together::Active | Together::Scope)
                }
                Lowerer::Matrix => matches!(facts.together, Together::Apart | Together::Matrix),
                Lowerer::Memory | Lowerer::Image => facts.together != Together::Active,
                Lowerer::Atomic => {
                    facts.effect == Effect::Acts
                        || matches!(opcode, Opcode::ImageTexelPointer | Opcode::UntypedImageTexelPointerEXT)
                }
                Lowerer::Extended | Lowerer::Control | Lowerer::Clock | Lowerer::Ignored => {
                    facts.effect == Effect::Acts
                }
                Lowerer::NotExecuted(reason) => !reason.is_empty(),
                Lowerer::Vector => facts.effect == Effect::Acts && facts.together == Together::Apart,
                Lowerer::Unknown => false,
            };
            assert!(fits, "{opcode:?}: {:?}, {facts:?}", Lowerer::of(opcode));
        }
    }
}
