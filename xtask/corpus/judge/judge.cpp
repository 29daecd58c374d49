// ggml as a judge: makes the inputs of one operation with ggml's quantisations, and what ggml's CPU backend makes of them.
//
//     judge FOLDER OPERATION key=value ... -- FOLDER OPERATION ...
//
// writes raw little-endian files into FOLDER: the inputs (`a`, `b`, ...) as shaders read them, `expected` in floats, and `scale`, the same
// operation on absolute values: how large the numbers were that each sum was made of, which its roundings are in proportion to.
//
// Sums are ggml's over floats: of operands in blocks, over what ggml reads back from them. (Its products of blocks would round the other
// operand to 8 bits, which no shader here does unless it is given it so.)

#include "ggml-cpu.h"
#include "ggml-impl.h"
#include "ggml-quants.h"
#include "ggml.h"
#include "operations.hpp"
#include "traits.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

using Floats = std::vector<float>;
using Bytes = std::vector<uint8_t>;

[[noreturn]] static void fail(const std::string & message) {
    fprintf(stderr, "%s\n", message.c_str());
    exit(2);
}

// What the CPU backend asks the rest of ggml for: there are no other backends, and no buffers of theirs.
std::vector<ggml_backend_buffer_type_t> & ggml_backend_cpu_get_extra_buffer_types() {
    static std::vector<ggml_backend_buffer_type_t> none;
    return none;
}
extern "C" {
enum ggml_backend_buffer_usage ggml_backend_buffer_get_usage(ggml_backend_buffer_t) { fail("a tensor has a buffer"); }
void ggml_backend_tensor_set(struct ggml_tensor * tensor, const void * data, size_t offset, size_t size) {
    memcpy(static_cast<char *>(tensor->data) + offset, data, size);
}
void ggml_backend_tensor_memset(struct ggml_tensor * tensor, uint8_t value, size_t offset, size_t size) {
    memset(static_cast<char *>(tensor->data) + offset, value, size);
}
}

class Request {
  public:
    explicit Request(const std::vector<std::string> & words) {
        if (words.size() < 2) {
            fail("judge FOLDER OPERATION key=value ... -- FOLDER OPERATION ...");
        }
        folder = words[0];
        operation = words[1];
        for (size_t i = 2; i < words.size(); i++) {
            const std::string & word = words[i];
            const size_t equals = word.find('=');
            if (equals == std::string::npos) {
                fail("not key=value: " + word);
            }
            values[word.substr(0, equals)] = word.substr(equals + 1);
        }
    }

    std::string text(const std::string & key) const {
        const auto found = values.find(key);
        if (found == values.end()) {
            fail("no " + key + " for " + operation);
        }
        return found->second;
    }

    bool has(const std::string & key) const { return values.count(key) != 0; }
    int64_t number(const std::string & key) const { return std::stoll(text(key)); }
    float real(const std::string & key) const { return std::stof(text(key)); }

    ggml_type type(const std::string & key) const { return type_named(text(key)); }

    static ggml_type type_named(const std::string & wanted) {
        for (int type = 0; type < GGML_TYPE_COUNT; type++) {
            const char * name = ggml_type_name(static_cast<ggml_type>(type));
            if (name != nullptr && wanted == name) {
                return static_cast<ggml_type>(type);
            }
        }
        fail("ggml has no type " + wanted);
    }

    void write(const std::string & name, const void * data, size_t size) const {
        std::ofstream file(folder + "/" + name, std::ios::binary);
        file.write(static_cast<const char *>(data), static_cast<std::streamsize>(size));
        if (!file.flush()) {
            fail("cannot write " + folder + "/" + name);
        }
    }
    template <typename T> void write(const std::string & name, const std::vector<T> & data) const {
        write(name, data.data(), data.size() * sizeof(T));
    }

    std::string operation;

  private:
    std::string folder;
    std::map<std::string, std::string> values;
};

// SplitMix64.
class Random {
  public:
    explicit Random(int64_t seed) : state(static_cast<uint64_t>(seed)) {}

    uint64_t next() {
        state += 0x9e3779b97f4a7c15u;
        uint64_t z = state;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }

    Floats between(int64_t count, float low, float high) {
        Floats values(static_cast<size_t>(count));
        for (float & value : values) {
            value = low + (high - low) * static_cast<float>(next() >> 40) / static_cast<float>(1 << 24);
        }
        return values;
    }

  private:
    uint64_t state;
};

// An operand: as a shader reads it, and as the numbers that this stands for.
struct Operand {
    Bytes bytes;
    Floats values;
};

// Blocks of q8_1 as ggml-vulkan arranges them (`block_q8_1_x4`): the scales and sums of four, then their numbers.
static Operand in_fours(const Floats & values) {
    const size_t count = values.size() / QK8_1;
    std::vector<block_q8_1> blocks((count + 3) / 4 * 4);
    quantize_row_q8_1_ref(values.data(), blocks.data(), static_cast<int64_t>(values.size()));
    Operand operand;
    for (size_t first = 0; first < blocks.size(); first += 4) {
        const auto put = [&](const void * data, size_t size) {
            const auto * bytes = static_cast<const uint8_t *>(data);
            operand.bytes.insert(operand.bytes.end(), bytes, bytes + size);
        };
        for (size_t block = first; block < first + 4; block++) {
            put(&blocks[block], sizeof(block_q8_1) - QK8_1);
        }
        for (size_t block = first; block < first + 4; block++) {
            put(blocks[block].qs, QK8_1);
        }
    }
    for (size_t block = 0; block < count; block++) {
        ggml_half scale;
        memcpy(&scale, &blocks[block], sizeof(scale));
        for (const int8_t q : blocks[block].qs) {
            operand.values.push_back(ggml_fp16_to_fp32(scale) * static_cast<float>(q));
        }
    }
    return operand;
}

static Operand quantised(ggml_type type, const Floats & values, int64_t row) {
    if (type == GGML_TYPE_Q8_1) {
        return in_fours(values);
    }
    if (row % ggml_blck_size(type) != 0) {
        fail("a row of " + std::to_string(row) + " is no blocks of " + ggml_type_name(type));
    }
    const int64_t count = static_cast<int64_t>(values.size());
    Operand operand;
    operand.bytes.resize(ggml_row_size(type, row) * static_cast<size_t>(count / row));
    if (type == GGML_TYPE_F32) {
        memcpy(operand.bytes.data(), values.data(), operand.bytes.size());
        operand.values = values;
        return operand;
    }
    // Some types choose their codes by how important columns are: here they are all the same.
    const Floats importance(static_cast<size_t>(row), 1.0f);
    ggml_quantize_chunk(type, values.data(), operand.bytes.data(), 0, count / row, row, importance.data());
    operand.values.resize(values.size());
    ggml_get_type_traits(type)->to_float(operand.bytes.data(), operand.values.data(), count);
    return operand;
}

static Floats absolute(Floats values) {
    for (float & value : values) {
        value = std::fabs(value);
    }
    return values;
}

// A graph of one operation, computed.
class Graph {
  public:
    Graph() : context(ggml_init({size_t{256} << 20, nullptr, false})) {}
    ~Graph() { ggml_free(context); }
    Graph(const Graph &) = delete;
    Graph & operator=(const Graph &) = delete;

    template <typename T> ggml_tensor * tensor(ggml_type type, std::vector<int64_t> lengths, const std::vector<T> & data) {
        ggml_tensor * tensor = ggml_new_tensor(context, type, static_cast<int>(lengths.size()), lengths.data());
        if (ggml_nbytes(tensor) != data.size() * sizeof(T)) {
            fail("an operand is larger or smaller than its shape");
        }
        memcpy(tensor->data, data.data(), ggml_nbytes(tensor));
        return tensor;
    }

    Floats compute(ggml_tensor * result) {
        ggml_cgraph * graph = ggml_new_graph(context);
        ggml_build_forward_expand(graph, result);
        if (ggml_graph_compute_with_ctx(context, graph, 1) != GGML_STATUS_SUCCESS) {
            fail("ggml did not compute the graph");
        }
        const size_t count = static_cast<size_t>(ggml_nelements(result));
        if (result->type == GGML_TYPE_I32) {
            const auto * data = static_cast<const int32_t *>(result->data);
            return Floats(data, data + count);
        }
        if (result->type == GGML_TYPE_I64) {
            const auto * data = static_cast<const int64_t *>(result->data);
            return Floats(data, data + count);
        }
        if (result->type == GGML_TYPE_F16) {
            Floats values(count);
            ggml_fp16_to_fp32_row(static_cast<const ggml_fp16_t *>(result->data), values.data(), static_cast<int64_t>(count));
            return values;
        }
        if (result->type == GGML_TYPE_BF16) {
            Floats values(count);
            ggml_bf16_to_fp32_row(static_cast<const ggml_bf16_t *>(result->data), values.data(), static_cast<int64_t>(count));
            return values;
        }
        // Blocks are compared byte by byte.
        if (ggml_is_quantized(result->type)) {
            const auto * data = static_cast<const uint8_t *>(result->data);
            return Floats(data, data + ggml_nbytes(result));
        }
        if (result->type != GGML_TYPE_F32) {
            fail(std::string("results are not read as ") + ggml_type_name(result->type));
        }
        const auto * data = static_cast<const float *>(result->data);
        return Floats(data, data + count);
    }

    ggml_context * context;
};

// Writes what an operation makes of operands, and of their absolute values.
static void write_both(const Request & request, const std::function<Floats(bool)> & result) {
    request.write("expected", result(false));
    request.write("scale", result(true));
}

// Columns [from, from + count) of rows.
static Floats part(const Floats & values, int64_t row, int64_t from, int64_t count) {
    Floats taken;
    for (size_t start = 0; start < values.size(); start += static_cast<size_t>(row)) {
        const auto first = values.begin() + static_cast<int64_t>(start) + from;
        taken.insert(taken.end(), first, first + count);
    }
    return taken;
}

// D[batch][n][m] = sum of A[batch][m][k] * B[batch][n][k]; with `split`, a D for each so many of the k's.
static void mul_mat(const Request & request) {
    const int64_t m = request.number("m"), n = request.number("n"), k = request.number("k");
    const int64_t batches_a = request.number("batches_a"), batches_b = request.number("batches_b");
    const int64_t split = request.number("split");
    Random random(request.number("seed"));
    const Operand a = quantised(request.type("a"), random.between(batches_a * m * k, -1, 1), k);
    const Operand b = quantised(request.type("b"), random.between(batches_b * n * k, -1, 1), k);
    request.write("a", a.bytes);
    request.write("b", b.bytes);
    write_both(request, [&](bool sizes) {
        Floats all;
        for (int64_t from = 0; from < k; from += split) {
            const int64_t depth = std::min(split, k - from);
            const Floats left = part(sizes ? absolute(a.values) : a.values, k, from, depth);
            const Floats right = part(sizes ? absolute(b.values) : b.values, k, from, depth);
            Graph graph;
            ggml_tensor * one = graph.tensor(GGML_TYPE_F32, {depth, m, batches_a}, left);
            ggml_tensor * other = graph.tensor(GGML_TYPE_F32, {depth, n, batches_b}, right);
            const Floats sums = graph.compute(ggml_mul_mat(graph.context, one, other));
            all.insert(all.end(), sums.begin(), sums.end());
        }
        return all;
    });
}

// D[n][choice][m] = sum of A[expert][m][k] * B[n][k], with the experts that `ids[n][choice]` names.
static void mul_mat_id(const Request & request) {
    const int64_t m = request.number("m"), n = request.number("n"), k = request.number("k");
    const int64_t experts = request.number("experts"), used = request.number("used");
    Random random(request.number("seed"));
    const Operand a = quantised(request.type("a"), random.between(experts * m * k, -1, 1), k);
    const Operand b = quantised(request.type("b"), random.between(n * k, -1, 1), k);
    std::vector<int32_t> ids, counts(static_cast<size_t>(experts));
    for (int64_t row = 0; row < n; row++) {
        const uint64_t first = random.next();
        for (int64_t choice = 0; choice < used; choice++) {
            ids.push_back(static_cast<int32_t>((first + static_cast<uint64_t>(choice)) % static_cast<uint64_t>(experts)));
            counts[static_cast<size_t>(ids.back())]++;
        }
    }
    request.write("a", a.bytes);
    request.write("b", b.bytes);
    request.write("ids", ids);
    request.write("counts", counts);
    write_both(request, [&](bool sizes) {
        Graph graph;
        ggml_tensor * one = graph.tensor(GGML_TYPE_F32, {k, m, experts}, sizes ? absolute(a.values) : a.values);
        ggml_tensor * other = graph.tensor(GGML_TYPE_F32, {k, 1, n}, sizes ? absolute(b.values) : b.values);
        ggml_tensor * chosen = graph.tensor(GGML_TYPE_I32, {used, n}, ids);
        return graph.compute(ggml_mul_mat_id(graph.context, one, other, chosen));
    });
}

// Convolutions: `kind` is 2d, transposed or 3d; lengths as ggml has them, the fastest first.
static void convolution(const Request & request) {
    const std::string kind = request.text("kind");
    const bool cubic = kind == "3d";
    const int64_t width = request.number("width"), height = request.number("height"), depth = request.number("depth");
    const int64_t columns = request.number("kernel_width"), rows = request.number("kernel_height");
    const int64_t layers = request.number("kernel_depth");
    const int64_t inputs = request.number("inputs"), outputs = request.number("outputs"), images = request.number("images");
    const int stride = static_cast<int>(request.number("stride")), padding = static_cast<int>(request.number("padding"));
    const int dilation = static_cast<int>(request.number("dilation"));
    Random random(request.number("seed"));
    const int64_t taps = columns * rows * layers * inputs * outputs;
    const Operand kernel = quantised(request.type("kernel"), random.between(taps, -1, 1), 1);
    const Floats pixels = random.between(width * height * depth * inputs * images, -1, 1);
    request.write("a", kernel.bytes);
    request.write("b", pixels);
    write_both(request, [&](bool sizes) {
        const Floats & taken = sizes ? absolute(kernel.values) : kernel.values;
        const Floats & seen = sizes ? absolute(pixels) : pixels;
        Graph graph;
        if (cubic) {
            ggml_tensor * one = graph.tensor(GGML_TYPE_F32, {columns, rows, layers, inputs * outputs}, taken);
            ggml_tensor * other = graph.tensor(GGML_TYPE_F32, {width, height, depth, inputs * images}, seen);
            return graph.compute(ggml_conv_3d_direct(graph.context, one, other, stride, stride, stride, padding, padding, padding,
                dilation, dilation, dilation, static_cast<int>(inputs), static_cast<int>(images), static_cast<int>(outputs)));
        }
        ggml_tensor * other = graph.tensor(GGML_TYPE_F32, {width, height, inputs, images}, seen);
        if (kind == "transposed") {
            ggml_tensor * one = graph.tensor(GGML_TYPE_F32, {columns, rows, outputs, inputs}, taken);
            return graph.compute(ggml_conv_transpose_2d_p0(graph.context, one, other, stride));
        }
        ggml_tensor * one = graph.tensor(GGML_TYPE_F32, {columns, rows, inputs, outputs}, taken);
        return graph.compute(
            ggml_conv_2d_direct(graph.context, one, other, stride, stride, padding, padding, dilation, dilation));
    });
}

// Softmax attention: Q[head][query][depth], K[kv_head][key][depth], V[kv_head][key][outputs], the result [query][head][outputs]; with
// `tokens_first`, Q is [query][head][depth], and K and V are alike. `scale` is that of the weighted sums of V's absolute values.
static void attention(const Request & request) {
    const int64_t heads = request.number("heads"), kv_heads = request.number("kv_heads");
    const int64_t queries = request.number("queries"), keys = request.number("keys");
    const int64_t depth = request.number("depth"), outputs = request.number("outputs");
    const float factor = request.real("factor"), softcap = request.real("softcap");
    Random random(request.number("seed"));
    const bool tokens_first = request.number("tokens_first") != 0;
    const Operand q = quantised(request.type("q"), random.between(heads * queries * depth, -3, 3), depth);
    const Operand k = quantised(request.type("k"), random.between(kv_heads * keys * depth, -2, 2), depth);
    const Operand v = quantised(request.type("v"), random.between(kv_heads * keys * outputs, -1, 1), outputs);
    // Some keys are hidden, some lowered.
    std::vector<ggml_fp16_t> mask;
    if (request.number("mask") != 0) {
        for (int64_t query = 0; query < queries; query++) {
            for (int64_t key = 0; key < keys; key++) {
                const float value = key > query + keys / 2 ? -INFINITY : random.next() % 7 == 0 ? -1.0f : 0.0f;
                mask.push_back(ggml_fp32_to_fp16(value));
            }
        }
        request.write("mask", mask);
    }
    request.write("q", q.bytes);
    request.write("k", k.bytes);
    request.write("v", v.bytes);
    write_both(request, [&](bool sizes) {
        Graph graph;
        const auto tensor = [&](int64_t row, int64_t tokens, int64_t of_heads, const Floats & values) {
            if (!tokens_first) {
                return graph.tensor(GGML_TYPE_F32, {row, tokens, of_heads}, values);
            }
            return ggml_permute(graph.context, graph.tensor(GGML_TYPE_F32, {row, of_heads, tokens}, values), 0, 2, 1, 3);
        };
        ggml_tensor * one = tensor(depth, queries, heads, q.values);
        ggml_tensor * other = tensor(depth, keys, kv_heads, k.values);
        ggml_tensor * third = tensor(outputs, keys, kv_heads, sizes ? absolute(v.values) : v.values);
        ggml_tensor * hidden = mask.empty() ? nullptr : graph.tensor(GGML_TYPE_F16, {keys, queries}, mask);
        return graph.compute(ggml_flash_attn_ext(graph.context, one, other, third, hidden, factor, 0.0f, softcap));
    });
}

static std::vector<std::string> split_at(const std::string & text, char at) {
    std::vector<std::string> parts(1);
    for (const char c : text) {
        if (c == at) {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    return parts;
}

// Any operation of operations.hpp, `name`: its operands `a`, `b` ... are `TYPE:LENGTHS:LOW:HIGH`, lengths as ggml has them, the
// fastest first (`q4_0:64x3:-1:1`), and `numbers` are separated by commas. `scale` is the same of absolute values where `absolute` says
// so; otherwise what is expected itself, but at least a tenth of the largest.
static void any(const Request & request) {
    Random random(request.number("seed"));
    struct Given {
        ggml_type type;
        std::vector<int64_t> lengths;
        Floats values;
        std::vector<int32_t> integers;
    };
    std::vector<Given> all;
    for (char key = 'a'; request.has(std::string(1, key)); key++) {
        const std::string name(1, key);
        const std::vector<std::string> parts = split_at(request.text(name), ':');
        if (parts.size() != 4) {
            fail("not TYPE:LENGTHS:LOW:HIGH: " + request.text(name));
        }
        Given given;
        given.type = Request::type_named(parts[0]);
        int64_t count = 1;
        for (const std::string & length : split_at(parts[1], 'x')) {
            given.lengths.push_back(std::stoll(length));
            count *= given.lengths.back();
        }
        const float low = std::stof(parts[2]), high = std::stof(parts[3]);
        if (given.type == GGML_TYPE_I32) {
            const auto range = static_cast<uint64_t>(high - low);
            for (int64_t i = 0; i < count; i++) {
                given.integers.push_back(static_cast<int32_t>(low) + static_cast<int32_t>(random.next() % range));
                // In a row none is there twice.
                const auto last = given.integers.end() - 1;
                const auto first = last - i % given.lengths[0];
                while (request.has("distinct") && std::find(first, last, *last) != last) {
                    *last = static_cast<int32_t>(low) + static_cast<int32_t>((*last - static_cast<int32_t>(low) + 1) % range);
                }
            }
            request.write(name, given.integers);
            request.write(name + "64", std::vector<int64_t>(given.integers.begin(), given.integers.end()));
        } else {
            Operand operand = quantised(given.type, random.between(count, low, high), given.lengths[0]);
            request.write(name, operand.bytes);
            given.values = std::move(operand.values);
        }
        all.push_back(std::move(given));
    }
    const auto compute = [&](bool sizes) {
        Graph graph;
        Operation operation{graph.context, {}, {}};
        for (const Given & given : all) {
            if (given.type == GGML_TYPE_I32) {
                operation.operands.push_back(graph.tensor(GGML_TYPE_I32, given.lengths, given.integers));
            } else {
                operation.operands.push_back(
                    graph.tensor(GGML_TYPE_F32, given.lengths, sizes ? absolute(given.values) : given.values));
            }
        }
        if (request.has("numbers")) {
            for (const std::string & number : split_at(request.text("numbers"), ',')) {
                operation.numbers.push_back(std::stof(number));
            }
        }
        ggml_tensor * result = operation_named(request.text("name"), operation);
        if (result == nullptr) {
            fail("no operation " + request.text("name"));
        }
        return graph.compute(result);
    };
    const Floats expected = compute(false);
    request.write("expected", expected);
    if (request.number("absolute") != 0) {
        request.write("scale", compute(true));
        return;
    }
    Floats scale = absolute(expected);
    float largest = 0;
    for (const float value : scale) {
        largest = std::isfinite(value) ? std::max(largest, value) : largest;
    }
    if (largest == 0) {
        largest = 10;
    }
    for (float & value : scale) {
        value = std::isfinite(value) ? std::max(value, largest / 10) : 1.0f;
    }
    request.write("scale", scale);
}

// Blocks of q8_1, alone or in fours: their bytes.
static void blocks_of_8_bits(const Request & request) {
    Random random(request.number("seed"));
    const Floats values = random.between(request.number("count"), -1, 1);
    Bytes bytes;
    if (request.number("fours") != 0) {
        bytes = in_fours(values).bytes;
    } else {
        bytes.resize(values.size() / QK8_1 * sizeof(block_q8_1));
        quantize_row_q8_1_ref(
            values.data(), reinterpret_cast<block_q8_1 *>(bytes.data()), static_cast<int64_t>(values.size()));
    }
    request.write("a", values);
    request.write("expected", Floats(bytes.begin(), bytes.end()));
    request.write("scale", Floats(bytes.size(), 1.0f));
}

int main(int argc, char ** argv) {
    const std::map<std::string, void (*)(const Request &)> operations = {
        {"mul_mat", mul_mat},
        {"mul_mat_id", mul_mat_id},
        {"convolution", convolution},
        {"attention", attention},
        {"any", any},
        {"blocks_of_8_bits", blocks_of_8_bits},
    };
    ggml_cpu_init();
    std::vector<std::string> words;
    // Several at a time, because some quantisations make tables for seconds when they are first used.
    for (int i = 1; i <= argc; i++) {
        if (i < argc && strcmp(argv[i], "--") != 0) {
            words.push_back(argv[i]);
            continue;
        }
        const Request request(words);
        const auto found = operations.find(request.operation);
        if (found == operations.end()) {
            fail("no operation " + request.operation);
        }
        found->second(request);
        request.write("done", nullptr, 0);
        words.clear();
    }
    return 0;
}
