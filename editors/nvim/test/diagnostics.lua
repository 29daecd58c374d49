-- A scripted user of a real Neovim with the plugin: opens a shader, sees no diagnostics, makes a mistake, sees the diagnostic, hovers,
-- looks at the module. `cargo xtask neovim` starts it. Environment: SERVER is the program, SHADER the file, SETTINGS the settings in JSON.

local checks = dofile(vim.fs.joinpath(vim.fs.dirname(vim.env.SCRIPT), "checks.lua"))
local check = checks.check

-- The mistake, as a user types it: `a` has 16 columns, `b` has 32 rows. The types of the indexed operands are arrays'
-- elements, on which another front end crashes.
local typed = {
  "    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> test_a[2];",
  "    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> test_b;",
  "    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> test_sums[2];",
  "    test_a[0] = coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA>(1.0);",
  "    test_a[1] = test_a[0];",
  "    for (int i = 0; i < test_b.length(); i++) { test_b[i] = float16_t(1.0); }",
  "    test_sums[0] = coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0.0);",
  "    test_sums[1] = test_sums[0];",
  "    for (uint i = 0; i < 2; i++) {",
  "        test_sums[i] = coopMatMulAdd(test_a[i], test_b, test_sums[i]);",
  "    }",
}
local wrong = "    coopmat<float16_t, gl_ScopeSubgroup, 32, 16, gl_MatrixUseB> test_b;"

local function run()
  local version = vim.version()
  io.stdout:write(string.format("Neovim %d.%d.%d\n", version.major, version.minor, version.patch))
  vim.lsp.config("coopmat_analyzer", {
    cmd = { vim.env.SERVER, "lsp" },
    init_options = vim.json.decode(vim.env.SETTINGS),
  })

  local told = 0
  vim.api.nvim_create_autocmd("DiagnosticChanged", { callback = function() told = told + 1 end })
  -- Waits until the server has said something about the present text.
  local function wait_for_diagnostics(wanted)
    return vim.wait(30000, function()
      return told > 0 and (wanted == nil or wanted())
    end, 20)
  end

  vim.cmd.edit(vim.env.SHADER)
  local buffer = vim.api.nvim_get_current_buf()
  check("the file is recognised as GLSL", vim.bo[buffer].filetype == "glsl", vim.bo[buffer].filetype)
  local attached = vim.wait(10000, function()
    return #vim.lsp.get_clients({ bufnr = buffer, name = "coopmat_analyzer" }) == 1
  end, 20)
  check("the server starts and attaches", attached)
  if not attached then
    return
  end

  local function problems()
    return vim.diagnostic.get(buffer, { severity = { min = vim.diagnostic.severity.WARN } })
  end
  check("the server answers for the opened file", wait_for_diagnostics())
  check("a real shader has no diagnostics", #problems() == 0, vim.inspect(problems()[1]))

  -- At the start of main, in code that this configuration compiles.
  local main = vim.fn.search([[^void main()]], "w")
  check("the shader has a main function", main > 0)
  vim.api.nvim_buf_set_lines(buffer, main, main, false, typed)
  told = 0
  vim.wait(3000, function() return told > 0 and #problems() > 0 end, 20)
  check("matching matrices stay without diagnostics", #problems() == 0, vim.inspect(problems()[1]))

  told = 0
  vim.api.nvim_buf_set_lines(buffer, main + 1, main + 2, false, { wrong })
  wait_for_diagnostics(function() return #problems() > 0 end)
  local found = problems()
  check("the mistake gives one diagnostic", #found == 1, tostring(#found) .. " " .. vim.inspect(found[2]))
  local diagnostic = found[1]
  if not diagnostic then
    return
  end
  local line = vim.api.nvim_buf_get_lines(buffer, diagnostic.lnum, diagnostic.lnum + 1, false)[1]
  local covered = line:sub(diagnostic.col + 1, diagnostic.end_col)
  io.stdout:write(string.format("        %s: %s\n", diagnostic.code, diagnostic.message))
  check("it is an error", diagnostic.severity == vim.diagnostic.severity.ERROR)
  check("it comes with its id", type(diagnostic.code) == "string" and diagnostic.code:find("^coopmat%-") ~= nil)
  check("it stands at an argument", covered == "test_b" or covered == "test_a[i]", covered)
  check("it names both numbers", diagnostic.message:find("16") ~= nil and diagnostic.message:find("32") ~= nil)

  -- Hover where the diagnostic is, as `K` does.
  vim.api.nvim_win_set_cursor(0, { diagnostic.lnum + 1, diagnostic.col })
  local before = #vim.api.nvim_list_wins()
  vim.lsp.buf.hover()
  local shown = vim.wait(10000, function() return #vim.api.nvim_list_wins() > before end, 20)
  check("hovering opens a window", shown)
  if shown then
    local text = ""
    text = checks.floating() or text
    io.stdout:write("        " .. text:gsub("\n", "\n        ") .. "\n")
    local shape = covered == "test_b" and "32" or "16"
    check("the hover says the matrix' shape", text:find(shape) ~= nil)
    check("the hover says the component type", text:find("float16_t") ~= nil)
    check("the hover says the use", text:find(covered == "test_b" and "UseB" or "UseA") ~= nil)
  end

  -- Undo brings the clean state back.
  told = 0
  vim.api.nvim_buf_set_lines(buffer, main, main + #typed, false, {})
  vim.wait(10000, function() return told > 0 and #problems() == 0 end, 20)
  check("taking the mistake back takes the diagnostic back", #problems() == 0)

  dofile(vim.fs.joinpath(vim.fs.dirname(vim.env.SCRIPT), "spirv.lua"))(check, buffer, main)
end

checks.run(run)
