#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

// Asks a device which invocation owns which element of a matrix: the specification leaves that open. A shader should not depend on it,
// and checked mode says that this one does. Run it with one buffer; `coopmat-analyzer ownership import` makes a table of what it writes,
// and `coopmat-analyzer ownership capture` does all of this for every type of a device.

// The type: what VkComponentTypeKHR has for its components, rows, columns, and 0 for A, 1 for B, 2 for accumulators.
#ifndef KIND
#define KIND 0
#endif
#ifndef ROWS
#define ROWS 16
#endif
#ifndef COLUMNS
#define COLUMNS 16
#endif
#ifndef USE
#define USE 2
#endif

#if KIND == 0
#define COMPONENT float16_t
#elif KIND == 1
#define COMPONENT float32_t
#elif KIND == 2
#define COMPONENT float64_t
#elif KIND == 3
#define COMPONENT int8_t
#elif KIND == 4
#define COMPONENT int16_t
#elif KIND == 5
#define COMPONENT int32_t
#elif KIND == 6
#define COMPONENT int64_t
#elif KIND == 7
#define COMPONENT uint8_t
#elif KIND == 8
#define COMPONENT uint16_t
#elif KIND == 9
#define COMPONENT uint32_t
#elif KIND == 10
#define COMPONENT uint64_t
#elif KIND == 1000141000
#extension GL_EXT_bfloat16 : require
#define COMPONENT bfloat16_t
#elif KIND == 1000491002
#extension GL_EXT_float_e4m3 : require
#define COMPONENT floate4m3_t
#elif KIND == 1000491003
#extension GL_EXT_float_e5m2 : require
#define COMPONENT floate5m2_t
#endif

// Enough invocations for one whole subgroup of any size.
layout(local_size_x = 128) in;

layout(binding = 0) buffer Capture {
    uint mark;
    uint version;
    uint kind;
    uint use;
    uint rows;
    uint columns;
    uint subgroupSize;
    uint count;
    // For each invocation the elements that it owns, as row * COLUMNS + column.
    uint owned[];
} capture;

shared COMPONENT staging[ROWS * COLUMNS];

void main() {
    const uint elements = ROWS * COLUMNS;
    uint count = uint(coopmat<COMPONENT, gl_ScopeSubgroup, ROWS, COLUMNS, USE>(COMPONENT(0.0)).length());
    // An element's number is told in digits from 0 to 7, which every type holds.
    for (uint shift = 0; elements - 1 >> shift != 0 || shift == 0; shift += 3) {
        for (uint element = gl_LocalInvocationIndex; element < elements; element += gl_WorkGroupSize.x) {
            staging[element] = COMPONENT(float(element >> shift & 7));
        }
        barrier();
        coopmat<COMPONENT, gl_ScopeSubgroup, ROWS, COLUMNS, USE> digits;
        coopMatLoad(digits, staging, 0, COLUMNS, gl_CooperativeMatrixLayoutRowMajor);
        if (gl_SubgroupID == 0) {
            for (uint i = 0; i < count; ++i) {
                uint place = gl_SubgroupInvocationID * count + i;
                uint digit = uint(float(digits[i])) << shift;
                capture.owned[place] = shift == 0 ? digit : capture.owned[place] | digit;
            }
        }
        barrier();
    }
    if (gl_LocalInvocationIndex == 0) {
        capture.mark = 0x4E574F43;
        capture.version = 1;
        capture.kind = KIND;
        capture.use = USE;
        capture.rows = ROWS;
        capture.columns = COLUMNS;
        capture.subgroupSize = gl_SubgroupSize;
        capture.count = count;
    }
}
