-- ncnn's shaders as its source package has them: the project file that the docs show is written in Neovim, configurations are chosen, a shader is looked at, run by a recipe that
-- is created, and verified. By keys in a terminal, with the time of each step.
-- Environment: SERVER is the program, PLUGIN the plugin's folder, NCNN the folder `src` of the package, PAGE the chapter about project files, NVIM_COMMAND starts a Neovim.

local here = vim.fs.dirname(vim.env.SCRIPT)
local checks = dofile(vim.fs.joinpath(here, 'checks.lua'))
local terminals = dofile(vim.fs.joinpath(here, 'terminal.lua'))
local check = checks.check

--- The block of the page that is for ncnn.
local function project_file()
  local page = table.concat(vim.fn.readfile(vim.env.PAGE), '\n')
  local after = page:match('in the folder `src` of ncnn.-```toml project\n(.*)')
  return after and vim.split(after:match('^(.-)\n```'), '\n')
end

checks.run(function()
  local begun = vim.uv.hrtime()
  local child = terminals.start({
    '--clean', '--cmd', 'set runtimepath^=' .. vim.env.PLUGIN,
    '-c', 'lua vim.lsp.config("coopmat_analyzer", { cmd = { vim.env.SERVER, "lsp" } })',
  })
  local function waits(wanted) return vim.wait(30000, wanted, 50) end
  local function diagnostics()
    return child:lua([[
      return vim.tbl_map(function(one) return one.code .. ': ' .. one.message end,
        vim.diagnostic.get(0, { severity = { min = vim.diagnostic.severity.WARN } }))
    ]])
  end
  local function open(name)
    return child:opens('edit', vim.fs.joinpath(vim.env.NCNN, 'layer/vulkan/shader', name))
  end
  local start = vim.uv.hrtime()
  local function took(name)
    checks.say(('%-28s %6.2f s'):format(name, (vim.uv.hrtime() - start) / 1e9))
    start = vim.uv.hrtime()
  end

  check('a shader is opened', open('absval.comp'))
  check('a shader as it is has one note', waits(function()
    local told = diagnostics()
    return #told == 1 and vim.startswith(told[1], 'missing-configuration')
  end), diagnostics())
  took('opened')

  local text = project_file()
  if not check('the page has a project file for ncnn', text ~= nil) then
    return
  end
  check('it is opened', child:opens('split', vim.fs.joinpath(vim.env.NCNN, 'coopmat-analyzer.toml')), child:screen())
  child:lua('vim.api.nvim_buf_set_lines(0, 0, -1, false, ...)', text)
  child:type(':write<CR>:close<CR>')
  check('once it is written, the note is gone', waits(function()
    return child:lua('return vim.api.nvim_buf_get_name(0)'):find('absval.comp', 1, true) ~= nil and #diagnostics() == 0
  end), diagnostics())
  local names = child:lua("return vim.fn.getcompletion('CoopmatConfig ', 'cmdline')")
  check('configurations are those of the file', vim.deep_equal(names, { 'fp16', 'bf16', 'fp32' }), names)
  took('project file')

  for _, one in ipairs({ { 'fp32', 'vec4[]' }, { 'fp16', 'f16vec4[]' } }) do
    child:type(':CoopmatConfig ' .. one[1] .. '<CR>')
    check(one[1] .. ' is chosen', child:shows('configuration ' .. one[1]))
    check('and has no errors', waits(function() return #diagnostics() == 0 end), diagnostics())
    child:type('gg/bottom_top_blob_data<CR>')
    child:type('K')
    check('a hover says ' .. one[2], child:floats('\n' .. one[2] .. ' '), child:floating())
    child:type('jk')
    vim.wait(5000, function() return child:floating() == '' end, 20)
  end
  took('configurations and hovers')

  local recipe = vim.fs.joinpath(vim.env.NCNN, 'layer/vulkan/shader/absval.run.toml')
  local function report()
    return child:lua([[
      local buffer = vim.fn.bufnr('Run of')
      return buffer > 0 and table.concat(vim.api.nvim_buf_get_lines(buffer, 0, 8, false), '\n') or ''
    ]])
  end
  child:type(':CoopmatRun<CR>')
  check('a recipe is offered', child:shows('1: Create recipe'), child:screen())
  child:type('1<CR>')
  check('it is written and run', child:shows('matrix multiplies') and vim.uv.fs_stat(recipe) ~= nil, child:screen())
  took('recipe created and run')

  local lines = table.concat(vim.fn.readfile(recipe), '\n')
  for _, one in ipairs({
    { 'dispatch = %[1, 1, 1%]', 'dispatch = [256, 1, 1]' }, { '\nn = 1\n', '\nn = 256\n' },
    { 'shape = %[4096%]', 'shape = [1024]' },
    { '# %[%[expect%]%].*', '[[expect]]\nbuffer = "bottom_top_blob"\nequals.formula = "abs(bottom_top_blob)"\n' },
  }) do
    local count
    lines, count = lines:gsub(one[1], one[2], 1)
    check('the recipe has ' .. one[1]:gsub('\n', ''), count == 1)
  end
  child:type(':wincmd p<CR>')
  check('it is opened', child:opens('split', recipe), child:screen())
  child:lua('vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split((...), "\\n", { trimempty = true }))', lines)
  child:type(':write<CR>:close<CR>:CoopmatRun<CR>')
  check('the result is that of the reference', waits(function()
    return report():find('ok      bottom_top_blob = formula: 0 of 1024 elements are wrong', 1, true) ~= nil
  end), report())
  child:type(':close<CR>')
  took('verified')

  -- Matrices: the largest of its shaders.
  check('another is opened', open('gemm_cm.comp'))
  check('it has no errors', waits(function()
    return child:lua('return #vim.lsp.get_clients({ bufnr = 0 }) == 1') and #diagnostics() == 0
  end), diagnostics())
  -- Those before it are for another vendor's devices.
  child:type('gg6/= coopMatMulAdd(<CR>wK')
  check('a hover shows the multiply-add with its operands', child:floats('gl_MatrixUseA'), child:floating())
  took('a shader with matrices')
  checks.say(('%-28s %6.2f s'):format('in all', (vim.uv.hrtime() - begun) / 1e9))
  child:close()
end)
