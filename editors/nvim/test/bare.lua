-- A new user's first minutes with llama.cpp: its whole folder, as the Cargo package has it, without a project file. It is set up by the command that is proposed, a shader is looked at in a
-- configuration, run as a recipe that is created, and verified against a reference. All of it by keys in a terminal, and the time of each step is told.
-- Environment: SERVER is the program, PLUGIN the plugin's folder, BARE the clone, NVIM_COMMAND starts a Neovim.
-- The whole generator, 1,566 calls, is what the step "llama.cpp captured" takes.

local here = vim.fs.dirname(vim.env.SCRIPT)
local checks = dofile(vim.fs.joinpath(here, 'checks.lua'))
local terminals = dofile(vim.fs.joinpath(here, 'terminal.lua'))
local check = checks.check

local SHADERS = 'ggml/src/ggml-vulkan/vulkan-shaders'
local SHADER = 'mul_mm_cm2'
-- Their calls differ in the type of the sums.
local HALF, FULL = 'matmul_f16_f16acc_cm2', 'matmul_f16_cm2'

--- A step takes its time, whatever comes of it.
local function step(name, script)
  local start = vim.uv.hrtime()
  script()
  checks.say(('%-28s %6.2f s'):format(name, (vim.uv.hrtime() - start) / 1e9))
end

checks.run(function()
  local begun = vim.uv.hrtime()
  local shader = vim.fs.joinpath(vim.env.BARE, SHADERS, SHADER .. '.comp')
  local recipe = shader:gsub('comp$', 'run.toml')
  local project = vim.fs.joinpath(vim.env.BARE, 'coopmat-analyzer.toml')
  local child = terminals.start({
    '--clean', '--cmd', 'set runtimepath^=' .. vim.env.PLUGIN,
    '-c', 'lua vim.lsp.config("coopmat_analyzer", { cmd = { vim.env.SERVER, "lsp" } })',
  })
  local function diagnostics()
    return child:lua([[
      return vim.tbl_map(function(one) return one.code .. ': ' .. one.message end,
        vim.diagnostic.get(0, { severity = { min = vim.diagnostic.severity.WARN } }))
    ]])
  end
  -- Setting up is 92 compilations of a debug build: seconds, but not on a machine that does much else.
  local function waits(wanted) return vim.wait(180000, wanted, 50) end

  step('opened', function()
    child:opens('edit', shader)
    check('a shader as it is has one note', waits(function()
      local told = diagnostics()
      return #told == 1 and vim.startswith(told[1], 'missing-configuration')
    end), diagnostics())
    child:type('<C-w>d')
    check('which can be read', child:floats('set up this project'), child:floating())
    child:type('jk')
  end)

  step('set up', function()
    child:type(':CoopmatSetUp<CR>')
    check('the build command is asked for', child:shows('command that compiles its shaders'), child:screen())
    local proposed = child:lua('return vim.fn.getcmdline()')
    check('with the generator, where it stands', vim.startswith(proposed, ("cd '%s' && "):format(SHADERS))
      and proposed:find('vulkan-shaders-gen.cpp', 1, true) ~= nil, proposed)
    -- Two of its shaders, and the generator as it is compiled fastest.
    local command = proposed:gsub('%*%.comp', ('add.comp %s.comp'):format(SHADER)):gsub('%-O1', '-O0')
    child:type('<C-u>' .. command .. '<CR>')
    check('a project file is written', waits(function() return vim.uv.fs_stat(project) ~= nil end), child:screen())
    check('the note is gone, and nothing is wrong', waits(function() return #diagnostics() == 0 end), diagnostics())
    local names = child:lua("return vim.fn.getcompletion('CoopmatConfig matmul_f16_', 'cmdline')")
    check('configurations are those of the calls', vim.deep_equal(names, { FULL, HALF }), names)
  end)

  local line = vim.iter(vim.fn.readfile(shader)):enumerate():find(function(_, text) return text:find('> sum = ', 1, true) end)
  local function hovers(name, type)
    child:type(':CoopmatConfig ' .. name .. '<CR>')
    check(name .. ' is chosen', child:shows('configuration ' .. name))
    check('and has no errors', waits(function() return #diagnostics() == 0 end), diagnostics())
    child:lua('vim.cmd.normal({ (...) .. "G0f>w", bang = true })', line)
    child:type('K')
    check('a hover says that sums are ' .. type, child:floats('of `' .. type .. '`, use accumulator'), child:floating())
    child:type('jk')
    vim.wait(5000, function() return child:floating() == '' end, 20)
  end
  step('configuration and hover', function() hovers(HALF, 'float16_t') end)
  step('another', function() hovers(FULL, 'float') end)

  local function report()
    return child:lua([[
      local buffer = vim.fn.bufnr('Run of')
      return buffer > 0 and table.concat(vim.api.nvim_buf_get_lines(buffer, 0, 8, false), '\n') or ''
    ]])
  end
  step('recipe created and run', function()
    child:type(':CoopmatRun<CR>')
    check('a recipe is offered', child:shows('1: Create recipe'), child:screen())
    child:type('1<CR>')
    check('it is written', waits(function() return vim.uv.fs_stat(recipe) ~= nil end))
    check('and run', child:shows('matrix multiplies'), child:screen())
    check('without an expectation', report():find('ok ', 1, true) == nil, report())
  end)

  step('verified', function()
    local text = table.concat(vim.fn.readfile(recipe), '\n') .. '\n'
    -- As somebody fills it in: one tile of 64 x 64, D = transpose(A * transpose(B)).
    for _, one in ipairs({
      { 'base_work_group_z = 1', 'base_work_group_z = 0' }, { '(batch_stride_[abd]) = 1\n', '%1 = 4096\n' },
      { '# 0 = 1\n', '0 = 128\n' }, { '# BK = 16', 'BK = 64' }, { '%[4097%]', '[64, 64]' },
      { '# %[%[expect%]%].*', '[[expect]]\nbuffer = "D"\nequals.matmul = { a = "B", b = "A", transpose-b = true }\ntolerance = { absolute = 1e-3 }\n' },
    }) do
      local count
      text, count = text:gsub(one[1], one[2])
      check('the recipe has ' .. one[1]:gsub('\n', ''), count > 0)
    end
    child:type(':wincmd p<CR>')
    check('it is opened', child:opens('split', recipe), child:screen())
    child:lua('vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split((...), "\\n", { trimempty = true }))', text)
    child:type(':write<CR>:close<CR>:CoopmatRun<CR>')
    check('the result is that of the reference', waits(function()
      return report():find('ok      D = matmul: 0 of 4096 elements are wrong', 1, true) ~= nil
    end), report())
    check('which stands on the screen', child:shows('0 of 4096 elements are wrong'), child:screen())
  end)
  checks.say(('%-28s %6.2f s'):format('in all', (vim.uv.hrtime() - begun) / 1e9))
  child:close()
end)
