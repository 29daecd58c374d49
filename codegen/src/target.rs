//! The target environment and the SPIR-V version that it implies.

use coopmat_analysis::config::TargetEnv;
use rspirv::spirv::StorageClass;

/// A SPIR-V version, 1.x.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SpirvVersion(pub u8);

impl SpirvVersion {
    pub const V1_0: SpirvVersion = SpirvVersion(0);
    pub const V1_3: SpirvVersion = SpirvVersion(3);
    pub const V1_4: SpirvVersion = SpirvVersion(4);
    pub const V1_5: SpirvVersion = SpirvVersion(5);
    pub const V1_6: SpirvVersion = SpirvVersion(6);
}

/// What a module is made for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub env: TargetEnv,
    pub version: SpirvVersion,
}

impl Target {
    /// The highest version that every implementation of the environment takes (Vulkan, "Versions and Formats").
    pub fn new(env: TargetEnv) -> Target {
        let version = match env {
            TargetEnv::Vulkan1_0 => SpirvVersion::V1_0,
            TargetEnv::Vulkan1_1 => SpirvVersion::V1_3,
            TargetEnv::Vulkan1_2 => SpirvVersion::V1_5,
            TargetEnv::Vulkan1_3 | TargetEnv::Vulkan1_4 => SpirvVersion::V1_6,
        };
        Target { env, version }
    }

    pub fn at_least(self, version: SpirvVersion) -> bool {
        self.version >= version
    }

    /// The lowest environment that implies a version: what an error names.
    pub fn env_for(version: SpirvVersion) -> TargetEnv {
        TargetEnv::ALL
            .into_iter()
            .find(|&env| Target::new(env).version >= version)
            .unwrap_or(TargetEnv::Vulkan1_4)
    }

    /// The class of storage buffers: before SPIR-V 1.3 they are `Uniform` with `BufferBlock`.
    pub fn buffer_class(self) -> StorageClass {
        if self.at_least(SpirvVersion::V1_3) { StorageClass::StorageBuffer } else { StorageClass::Uniform }
    }

    /// Whether the interface of an entry point lists all of its global variables, not just inputs and outputs.
    pub fn interface_lists_all(self) -> bool {
        self.at_least(SpirvVersion::V1_4)
    }
}
