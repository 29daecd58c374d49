// ggml's operations by name, over operands in their order and numbers.

#pragma once

#include "ggml.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <string>
#include <vector>

struct Operation {
    ggml_context * context;
    std::vector<ggml_tensor *> operands;
    std::vector<float> numbers;

    ggml_tensor * operand(size_t index) const { return index < operands.size() ? operands[index] : nullptr; }
    float number(size_t index) const { return index < numbers.size() ? numbers[index] : 0.0f; }
    int integer(size_t index) const { return static_cast<int>(number(index)); }
};

static std::string upper(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
    return text;
}

using Make = std::function<ggml_tensor *(const Operation &)>;

static const std::map<std::string, Make> & operations_by_name() {
    static const std::map<std::string, Make> table = {
        // Element by element
        {"sqr", [](const Operation & o) { return ggml_sqr(o.context, o.operand(0)); }},
        {"sqrt", [](const Operation & o) { return ggml_sqrt(o.context, o.operand(0)); }},
        {"sin", [](const Operation & o) { return ggml_sin(o.context, o.operand(0)); }},
        {"cos", [](const Operation & o) { return ggml_cos(o.context, o.operand(0)); }},
        {"log", [](const Operation & o) { return ggml_log(o.context, o.operand(0)); }},
        {"clamp", [](const Operation & o) { return ggml_clamp(o.context, o.operand(0), o.number(0), o.number(1)); }},
        {"leaky_relu", [](const Operation & o) { return ggml_leaky_relu(o.context, o.operand(0), o.number(0), false); }},
        {"scale", [](const Operation & o) { return ggml_scale_bias(o.context, o.operand(0), o.number(0), o.number(1)); }},
        {"fill", [](const Operation & o) { return ggml_fill(o.context, o.operand(0), o.number(0)); }},
        {"xielu",
         [](const Operation & o) {
             return ggml_xielu(o.context, o.operand(0), o.number(0), o.number(1), o.number(2), o.number(3));
         }},
        {"add", [](const Operation & o) { return ggml_add(o.context, o.operand(0), o.operand(1)); }},
        {"sub", [](const Operation & o) { return ggml_sub(o.context, o.operand(0), o.operand(1)); }},
        {"mul", [](const Operation & o) { return ggml_mul(o.context, o.operand(0), o.operand(1)); }},
        {"div", [](const Operation & o) { return ggml_div(o.context, o.operand(0), o.operand(1)); }},
        {"swiglu_oai",
         [](const Operation & o) { return ggml_swiglu_oai(o.context, o.operand(0), o.operand(1), o.number(0), o.number(1)); }},
        {"swiglu_clamp",
         [](const Operation & o) { return ggml_swiglu_clamp(o.context, o.operand(0), o.operand(1), o.number(1)); }},
        // Rows
        {"get_rows", [](const Operation & o) { return ggml_get_rows(o.context, o.operand(0), o.operand(1)); }},
        {"norm", [](const Operation & o) { return ggml_norm(o.context, o.operand(0), o.number(0)); }},
        {"rms_norm", [](const Operation & o) { return ggml_rms_norm(o.context, o.operand(0), o.number(0)); }},
        {"l2_norm", [](const Operation & o) { return ggml_l2_norm(o.context, o.operand(0), o.number(0)); }},
        {"group_norm", [](const Operation & o) { return ggml_group_norm(o.context, o.operand(0), o.integer(1), o.number(0)); }},
        {"sum_rows", [](const Operation & o) { return ggml_sum_rows(o.context, o.operand(0)); }},
        {"argmax", [](const Operation & o) { return ggml_argmax(o.context, o.operand(0)); }},
        // Elements elsewhere
        {"diag_mask_inf", [](const Operation & o) { return ggml_diag_mask_inf(o.context, o.operand(0), o.integer(0)); }},
        {"repeat",
         [](const Operation & o) {
             return ggml_repeat_4d(o.context, o.operand(0), o.integer(0), o.integer(1), o.integer(2), o.integer(3));
         }},
        {"repeat_back",
         [](const Operation & o) {
             const int64_t lengths[] = {o.integer(0), o.integer(1), o.integer(2), o.integer(3)};
             return ggml_repeat_back(o.context, o.operand(0), ggml_new_tensor(o.context, GGML_TYPE_F32, 4, lengths));
         }},
        {"concat", [](const Operation & o) { return ggml_concat(o.context, o.operand(0), o.operand(1), o.integer(0)); }},
        {"pad",
         [](const Operation & o) {
             return ggml_pad_ext(o.context, o.operand(0), o.integer(0), o.integer(1), o.integer(2), o.integer(3), o.integer(4),
                 o.integer(5), o.integer(6), o.integer(7));
         }},
        {"pad_reflect_1d",
         [](const Operation & o) { return ggml_pad_reflect_1d(o.context, o.operand(0), o.integer(0), o.integer(1)); }},
        {"roll",
         [](const Operation & o) {
             return ggml_roll(o.context, o.operand(0), o.integer(0), o.integer(1), o.integer(2), o.integer(3));
         }},
        {"tri", [](const Operation & o) { return ggml_tri(o.context, o.operand(0), static_cast<ggml_tri_type>(o.integer(0))); }},
        {"diag", [](const Operation & o) { return ggml_diag(o.context, o.operand(0)); }},
        {"upscale",
         [](const Operation & o) {
             return ggml_interpolate(o.context, o.operand(0), o.integer(0), o.integer(1), o.integer(2), o.integer(3),
                 static_cast<uint32_t>(o.integer(4)));
         }},
        {"acc",
         [](const Operation & o) {
             const ggml_tensor * to = o.operand(0);
             return ggml_acc(o.context, o.operand(0), o.operand(1), to->nb[1], to->nb[2], to->nb[3],
                 static_cast<size_t>(o.integer(0)) * sizeof(float));
         }},
        {"add_id", [](const Operation & o) { return ggml_add_id(o.context, o.operand(0), o.operand(1), o.operand(2)); }},
        {"arange", [](const Operation & o) { return ggml_arange(o.context, o.number(0), o.number(1), o.number(2)); }},
        {"count_equal", [](const Operation & o) { return ggml_count_equal(o.context, o.operand(0), o.operand(1)); }},
        {"timestep_embedding",
         [](const Operation & o) { return ggml_timestep_embedding(o.context, o.operand(0), o.integer(0), o.integer(1)); }},
        // Rows of others
        {"cumsum", [](const Operation & o) { return ggml_cumsum(o.context, o.operand(0)); }},
        {"silu_back", [](const Operation & o) { return ggml_silu_back(o.context, o.operand(0), o.operand(1)); }},
        {"soft_max",
         [](const Operation & o) {
             return ggml_soft_max_ext(o.context, o.operand(0), o.operand(1), o.number(0), o.number(1));
         }},
        {"soft_max_back",
         [](const Operation & o) { return ggml_soft_max_ext_back(o.context, o.operand(0), o.operand(1), o.number(0), 0.0f); }},
        {"rms_norm_back",
         [](const Operation & o) { return ggml_rms_norm_back(o.context, o.operand(0), o.operand(1), o.number(0)); }},
        {"argsort",
         [](const Operation & o) {
             return ggml_argsort(o.context, o.operand(0), static_cast<ggml_sort_order>(o.integer(0)));
         }},
        {"pool_1d",
         [](const Operation & o) {
             return ggml_pool_1d(
                 o.context, o.operand(0), static_cast<ggml_op_pool>(o.integer(0)), o.integer(1), o.integer(2), o.integer(3));
         }},
        {"pool_2d",
         [](const Operation & o) {
             return ggml_pool_2d(o.context, o.operand(0), static_cast<ggml_op_pool>(o.integer(0)), o.integer(1), o.integer(1),
                 o.integer(2), o.integer(2), o.number(3), o.number(3));
         }},
        {"rope",
         [](const Operation & o) {
             int sections[GGML_MROPE_SECTIONS] = {o.integer(7), o.integer(8), o.integer(9), o.integer(10)};
             const int dims = o.integer(0), mode = o.integer(1), context = o.integer(2);
             const float base = o.number(3), scale = o.number(4), extrapolated = o.number(5), attention = o.number(6);
             return (mode & GGML_ROPE_TYPE_MROPE) != 0
                 ? ggml_rope_multi(o.context, o.operand(0), o.operand(1), o.operand(2), dims, sections, mode, context, base, scale,
                       extrapolated, attention, 32.0f, 1.0f)
                 : ggml_rope_ext(o.context, o.operand(0), o.operand(1), o.operand(2), dims, mode, context, base, scale,
                       extrapolated, attention, 32.0f, 1.0f);
         }},
        {"conv_2d_dw",
         [](const Operation & o) {
             ggml_tensor * kernel = o.operand(0);
             ggml_tensor * image = o.operand(1);
             if (o.integer(3) != 0) {
                 // Channels are the fastest axis.
                 kernel = ggml_permute(o.context, kernel, 3, 2, 0, 1);
                 image = ggml_permute(o.context, image, 2, 0, 1, 3);
             }
             const int stride = o.integer(0), padding = o.integer(1), dilation = o.integer(2);
             return ggml_conv_2d_dw_direct(o.context, kernel, image, stride, stride, padding, padding, dilation, dilation);
         }},
        {"same", [](const Operation & o) { return ggml_cont(o.context, o.operand(0)); }},
    };
    return table;
}

static ggml_tensor * copied_to(const Operation & o, ggml_type type) {
    ggml_tensor * from = o.operand(0);
    // Axes in another order.
    if (o.numbers.size() == 4) {
        from = ggml_permute(o.context, from, o.integer(0), o.integer(1), o.integer(2), o.integer(3));
    }
    return ggml_cpy(o.context, from, ggml_new_tensor(o.context, type, GGML_MAX_DIMS, from->ne));
}

// Rows that nobody writes are zeros.
static ggml_tensor * rows_set_in(const Operation & o, ggml_type type) {
    ggml_tensor * from = o.operand(0);
    ggml_tensor * to = ggml_new_tensor_4d(o.context, type, from->ne[0], o.integer(0), from->ne[2], from->ne[3]);
    return ggml_set_rows(o.context, ggml_set_zero(to), from, o.operand(1));
}

static bool type_behind(const std::string & name, const std::string & prefix, ggml_type & found) {
    if (name.rfind(prefix, 0) != 0) {
        return false;
    }
    for (int type = 0; type < GGML_TYPE_COUNT; type++) {
        const char * of = ggml_type_name(static_cast<ggml_type>(type));
        if (of != nullptr && name.substr(prefix.size()) == of) {
            found = static_cast<ggml_type>(type);
            return true;
        }
    }
    return false;
}

// `mul` behind an operation multiplies what it makes with the second operand.
static ggml_tensor * operation_named(const std::string & name, const Operation & operation) {
    const auto found = operations_by_name().find(name);
    if (found != operations_by_name().end()) {
        return found->second(operation);
    }
    ggml_type type;
    if (type_behind(name, "copy_to_", type)) {
        return copied_to(operation, type);
    }
    if (type_behind(name, "set_rows_in_", type)) {
        return rows_set_in(operation, type);
    }
    for (int op = 0; op < GGML_UNARY_OP_COUNT; op++) {
        if (upper(name) == ggml_unary_op_name(static_cast<ggml_unary_op>(op))) {
            return ggml_unary(operation.context, operation.operand(0), static_cast<ggml_unary_op>(op));
        }
    }
    for (int op = 0; op < GGML_GLU_OP_COUNT; op++) {
        if (upper(name) == ggml_glu_op_name(static_cast<ggml_glu_op>(op))) {
            ggml_tensor * a = operation.operand(0);
            ggml_tensor * b = operation.operand(1);
            const auto glu = static_cast<ggml_glu_op>(op);
            return b != nullptr ? ggml_glu_split(operation.context, a, b, glu)
                                : ggml_glu(operation.context, a, glu, operation.number(0) != 0);
        }
    }
    const size_t end = name.rfind("_mul");
    if (end != std::string::npos && end + 4 == name.size()) {
        Operation first = operation;
        first.operands.resize(1);
        return ggml_mul(operation.context, operation_named(name.substr(0, end), first), operation.operand(1));
    }
    return nullptr;
}
