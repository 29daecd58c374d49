// Evaluates a model with llama.cpp on its CPU backend or on its first Vulkan device, and writes the logits of every token, for a comparison of the two:
//
//     logits model f16 model.gguf                      writes a model of random weights of this type
//     logits run model.gguf cpu 70 4 cpu.logits        a prompt of 70 tokens, and 4 tokens more, each the likeliest
//     logits run model.gguf vulkan 70 4 vulkan.logits cpu.logits
//
// The last takes the tokens that the first run chose, so that one choice between two close tokens does not make all that follows incomparable. A file
// has a line for each token: the token, whether it is of the prompt, and the logits of the token after it.

#include "ggml-backend.h"
#include "ggml.h"
#include "gguf.h"
#include "llama.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace {

// Dimensions of the model: heads as large as flash attention is made for, and two of them for each head of keys and values.
constexpr int VOCABULARY = 256, EMBEDDING = 128, FEED_FORWARD = 320, LAYERS = 2, HEADS = 2, KEY_HEADS = 1, HEAD = EMBEDDING / HEADS;
constexpr int CONTEXT = 256;

[[noreturn]] void fail(const std::string & message) {
    std::fprintf(stderr, "logits: %s\n", message.c_str());
    std::exit(2);
}

// Writes one model: tensors as they are added.
class Model {
  public:
    explicit Model(ggml_type type) : type(type), file(gguf_init_empty()), memory(ggml_init({ 64u << 20, nullptr, false })) {
        gguf_set_val_str(file, "general.architecture", "llama");
        gguf_set_val_str(file, "tokenizer.ggml.model", "none");
        number("vocab_size", VOCABULARY);
        number("context_length", CONTEXT);
        number("embedding_length", EMBEDDING);
        number("feed_forward_length", FEED_FORWARD);
        number("block_count", LAYERS);
        number("attention.head_count", HEADS);
        number("attention.head_count_kv", KEY_HEADS);
        number("rope.dimension_count", HEAD);
        gguf_set_val_f32(file, "llama.attention.layer_norm_rms_epsilon", 1e-5f);
    }

    ~Model() {
        gguf_free(file);
        ggml_free(memory);
    }

    // A matrix whose products with vectors of unit variance are about `gain` large, in the model's type.
    void matrix(const std::string & name, int columns, int rows, float gain) {
        std::normal_distribution<float> normal(0.0f, gain / std::sqrt(float(columns)));
        std::vector<float> values(size_t(columns) * rows);
        for (float & value : values) value = normal(random);
        ggml_tensor * tensor = ggml_new_tensor_2d(memory, type, columns, rows);
        ggml_quantize_chunk(type, values.data(), tensor->data, 0, rows, columns, nullptr);
        add(tensor, name);
    }

    // A vector of a norm's scales.
    void scales(const std::string & name) {
        std::uniform_real_distribution<float> near_one(0.8f, 1.2f);
        ggml_tensor * tensor = ggml_new_tensor_1d(memory, GGML_TYPE_F32, EMBEDDING);
        for (int i = 0; i < EMBEDDING; i++) static_cast<float *>(tensor->data)[i] = near_one(random);
        add(tensor, name);
    }

    void write(const char * path) {
        if (!gguf_write_to_file(file, path, false)) fail(std::string("cannot write ") + path);
        std::printf("%s: %lld weights\n", path, static_cast<long long>(weights));
    }

  private:
    void number(const char * name, uint32_t value) { gguf_set_val_u32(file, (std::string("llama.") + name).c_str(), value); }

    void add(ggml_tensor * tensor, const std::string & name) {
        ggml_set_name(tensor, name.c_str());
        gguf_add_tensor(file, tensor);
        weights += ggml_nelements(tensor);
    }

    ggml_type type;
    gguf_context * file;
    ggml_context * memory;
    std::mt19937 random{ 11 };
    int64_t weights = 0;
};

void write_model(const std::string & type, const char * path) {
    const ggml_type types[] = { GGML_TYPE_F16, GGML_TYPE_Q4_0 };
    const auto found = std::find_if(std::begin(types), std::end(types), [&](ggml_type one) { return type == ggml_type_name(one); });
    if (found == std::end(types)) fail("expected a type of weights, f16 or q4_0, found " + type);
    Model model(*found);
    model.matrix("token_embd.weight", EMBEDDING, VOCABULARY, std::sqrt(float(EMBEDDING)));
    model.scales("output_norm.weight");
    // Logits of a few units, so that the likeliest token is likely.
    model.matrix("output.weight", EMBEDDING, VOCABULARY, 3.0f);
    for (int layer = 0; layer < LAYERS; layer++) {
        const std::string name = "blk." + std::to_string(layer) + ".";
        model.scales(name + "attn_norm.weight");
        // Queries and keys whose products differ enough for attention to choose.
        model.matrix(name + "attn_q.weight", EMBEDDING, HEADS * HEAD, 1.5f);
        model.matrix(name + "attn_k.weight", EMBEDDING, KEY_HEADS * HEAD, 1.5f);
        model.matrix(name + "attn_v.weight", EMBEDDING, KEY_HEADS * HEAD, 1.0f);
        model.matrix(name + "attn_output.weight", HEADS * HEAD, EMBEDDING, 1.0f);
        model.scales(name + "ffn_norm.weight");
        model.matrix(name + "ffn_gate.weight", EMBEDDING, FEED_FORWARD, 1.0f);
        model.matrix(name + "ffn_up.weight", EMBEDDING, FEED_FORWARD, 1.0f);
        model.matrix(name + "ffn_down.weight", FEED_FORWARD, EMBEDDING, 1.0f);
    }
    model.write(path);
}

// The tokens of a file that another run wrote.
std::vector<llama_token> tokens_of(const char * path) {
    std::ifstream file(path);
    std::vector<llama_token> tokens;
    for (std::string line; std::getline(file, line);) tokens.push_back(std::stoi(line));
    if (tokens.empty()) fail(std::string("no tokens in ") + path);
    return tokens;
}

ggml_backend_dev_t device(const std::string & name) {
    for (size_t i = 0; i < ggml_backend_dev_count(); i++) {
        ggml_backend_dev_t one = ggml_backend_dev_get(i);
        const std::string backend = ggml_backend_reg_name(ggml_backend_dev_backend_reg(one));
        if (name == "vulkan" && backend == "Vulkan") return one;
        if (name == "cpu" && backend == "CPU") return one;
    }
    fail("llama.cpp has no device of the backend " + name);
}

class Run {
  public:
    Run(const char * path, const std::string & backend, size_t batch) : batch(batch) {
        const bool cpu = backend == "cpu";
        ggml_backend_dev_t devices[] = { cpu ? nullptr : device(backend), nullptr };
        device(backend);
        llama_model_params of_model = llama_model_default_params();
        of_model.devices = devices;
        of_model.n_gpu_layers = cpu ? 0 : 999;
        // Weights as they are in the file.
        of_model.use_extra_bufts = false;
        model = llama_model_load_from_file(path, of_model);
        if (!model) fail(std::string("cannot load ") + path);
        llama_context_params of_context = llama_context_default_params();
        of_context.n_ctx = CONTEXT;
        of_context.n_batch = of_context.n_ubatch = batch;
        of_context.n_threads = of_context.n_threads_batch = 1;
        of_context.flash_attn_type = LLAMA_FLASH_ATTN_TYPE_ENABLED;
        context = llama_init_from_model(model, of_context);
        if (!context) fail("cannot make a context");
    }

    ~Run() {
        llama_free(context);
        llama_model_free(model);
    }

    // Evaluates these tokens at once, and appends the logits after each.
    void evaluate(const std::vector<llama_token> & tokens, std::vector<std::vector<float>> & logits) {
        llama_batch one = llama_batch_init(int32_t(tokens.size()), 0, 1);
        for (size_t i = 0; i < tokens.size(); i++) {
            one.token[i] = tokens[i];
            one.pos[i] = llama_pos(position + i);
            one.n_seq_id[i] = 1;
            one.seq_id[i][0] = 0;
            one.logits[i] = 1;
        }
        one.n_tokens = int32_t(tokens.size());
        if (llama_decode(context, one)) fail("llama.cpp cannot evaluate the tokens");
        for (size_t i = 0; i < tokens.size(); i++) {
            const float * values = llama_get_logits_ith(context, int32_t(i));
            if (!values) fail("llama.cpp gives no logits");
            logits.emplace_back(values, values + VOCABULARY);
        }
        position += tokens.size();
        llama_batch_free(one);
    }

    const size_t batch;

  private:
    llama_model * model;
    llama_context * context;
    size_t position = 0;
};

void run(const char * path, const std::string & backend, size_t prompt, size_t more, const char * out, const char * others) {
    std::vector<llama_token> tokens;
    if (others) {
        tokens = tokens_of(others);
        if (tokens.size() != prompt + more) fail(std::string("another number of tokens in ") + others);
    } else {
        std::mt19937 random{ 5 };
        std::uniform_int_distribution<llama_token> any(0, VOCABULARY - 1);
        for (size_t i = 0; i < prompt; i++) tokens.push_back(any(random));
    }
    // All but the prompt's last few tokens are one product of matrices; these make one with few columns.
    const size_t batch = std::max<size_t>(1, prompt - std::min<size_t>(prompt / 2, 6));
    Run run(path, backend, batch);
    const auto began = std::chrono::steady_clock::now();
    std::vector<std::vector<float>> logits;
    for (size_t from = 0; from < prompt; from += batch) {
        const size_t to = std::min(prompt, from + batch);
        run.evaluate({ tokens.begin() + from, tokens.begin() + to }, logits);
    }
    for (size_t i = 0; i < more; i++) {
        const auto & last = logits.back();
        if (!others) tokens.push_back(llama_token(std::max_element(last.begin(), last.end()) - last.begin()));
        run.evaluate({ tokens[prompt + i] }, logits);
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    std::FILE * file = std::fopen(out, "w");
    if (!file) fail(std::string("cannot write ") + out);
    for (size_t i = 0; i < logits.size(); i++) {
        std::fprintf(file, "%d %s", tokens[i], i < prompt ? "prompt" : "generated");
        for (float value : logits[i]) std::fprintf(file, " %.9g", value);
        std::fprintf(file, "\n");
    }
    if (std::fclose(file)) fail(std::string("cannot write ") + out);
    std::printf("evaluated %zu tokens in %.2f s\n", logits.size(), took.count());
}

void log(ggml_log_level, const char * text, void *) {
    std::fputs(text, stderr);
}

}  // namespace

int main(int count, char ** arguments) {
    const std::string what = count > 1 ? arguments[1] : "";
    llama_log_set(log, nullptr);
    if (what == "model" && count == 4) {
        write_model(arguments[2], arguments[3]);
    } else if (what == "run" && (count == 7 || count == 8)) {
        const int prompt = std::atoi(arguments[4]), more = std::atoi(arguments[5]);
        if (prompt < 1 || more < 0 || prompt + more > CONTEXT) fail("expected 1 to 256 tokens in all");
        run(arguments[2], arguments[3], size_t(prompt), size_t(more), arguments[6], count == 8 ? arguments[7] : nullptr);
    } else {
        fail("usage: logits model f16|q4_0 MODEL.gguf, or logits run MODEL.gguf cpu|vulkan PROMPT GENERATED OUT [LOGITS]");
    }
    return 0;
}
