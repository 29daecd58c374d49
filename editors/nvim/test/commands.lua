-- The plugin's commands on an example with a recipe: run and heat map, configurations, devices, portability, health, help, code lenses.
-- Environment: SERVER is the program, EXAMPLE a shader with a recipe and a project file with configurations beside it.

local checks = dofile(vim.fs.joinpath(vim.fs.dirname(vim.env.SCRIPT), 'checks.lua'))
local check, wait, text_of = checks.check, checks.wait, checks.text

local function buffer_named(pattern)
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_get_name(buffer):find(pattern) then
      return buffer
    end
  end
end

--- Answers the next question with the item that `wanted` accepts.
local function answer_with(wanted, asked)
  local before = vim.ui.select
  vim.ui.select = function(items, options, chosen)
    vim.ui.select = before
    asked.items = vim.tbl_map(options.format_item, items)
    local item = vim.iter(items):find(wanted)
    chosen(item)
  end
end

checks.run(function()
  vim.lsp.config('coopmat_analyzer', { cmd = { vim.env.SERVER, 'lsp' } })
  vim.cmd.edit(vim.env.EXAMPLE)
  local source = vim.api.nvim_get_current_buf()
  local function client() return vim.lsp.get_clients({ bufnr = source, name = 'coopmat_analyzer' })[1] end
  if not check('the server starts', wait(function() return client() ~= nil and client().initialized end)) then
    return
  end
  check('the folder of the project file is the root', client().root_dir == vim.fs.dirname(vim.env.EXAMPLE), client().root_dir)

  -- Run.
  vim.cmd('CoopmatRun')
  wait(function() return buffer_named('Run of gemm.comp') ~= nil end)
  local report = buffer_named('Run of gemm.comp')
  if check('a run opens its report', report ~= nil) then
    local text = text_of(report)
    checks.say(vim.split(text, '\n\n')[1])
    check('the expectation is met', text:find('ok      outputD = matmul', 1, true) ~= nil, text)
    check('the buffers are named with their type and shape', text:find('outputD: f32 64 x 64', 1, true) ~= nil, text)
    local space = vim.api.nvim_get_namespaces()['coopmat-heat']
    local cells = vim.api.nvim_buf_get_extmarks(report, space, 0, -1, { details = true })
    local groups = {}
    for _, cell in ipairs(cells) do
      groups[cell[4].hl_group] = true
    end
    check('the heat map has a cell for each element', #cells >= 64 * 64, #cells)
    check('in many colours', vim.tbl_count(groups) >= 6, groups)
    vim.api.nvim_set_current_win(vim.fn.bufwinid(report))
    vim.cmd.close()
  end
  vim.cmd('CoopmatRun checked ownership=shuffled')
  check('a run can be asked for in a mode', wait(function()
    report = buffer_named('Run of gemm.comp')
    return report ~= nil and text_of(report):find('ownership shuffled, checked', 1, true) ~= nil
  end), report and text_of(report))
  vim.cmd('bwipeout ' .. report)
  vim.cmd('CoopmatRun checked=strict')
  check('checked mode can be strict', wait(function()
    report = buffer_named('Run of gemm.comp')
    return report ~= nil and text_of(report):find(', checked strictly', 1, true) ~= nil
  end), report and text_of(report))
  vim.cmd('bwipeout ' .. report)

  -- What each line did, until the text changes.
  local source = vim.api.nvim_get_current_buf()
  local costs = vim.api.nvim_get_namespaces()['coopmat-costs']
  local function marks()
    return vim.api.nvim_buf_get_extmarks(source, costs, 0, -1, { details = true })
  end
  check('no line shows what it costs', #marks() == 0)
  vim.cmd('CoopmatRun lines')
  check('lines show what they cost', wait(function() return #marks() > 5 end), marks())
  local said = vim.tbl_map(function(mark) return mark[4].virt_text[3][1] end, marks())
  check('as a share of the instructions, with bytes',
    table.concat(said, '\n'):find('%% of the instructions: %d+; %d+ bytes read and written') ~= nil, said)
  report = buffer_named('Run of gemm.comp')
  vim.cmd('bwipeout ' .. report)
  vim.api.nvim_buf_set_lines(source, 0, 0, false, { '' })
  check('an edit takes that away', wait(function() return #marks() == 0 end), marks())
  vim.api.nvim_buf_set_lines(source, 0, 1, false, {})
  vim.bo[source].modified = false

  -- Configurations.
  local asked = {}
  answer_with(function(one) return one.name == 'tiles' end, asked)
  vim.cmd('CoopmatConfig')
  local function in_view()
    local parameters = { uri = vim.uri_from_bufnr(source) }
    local answer = client():request_sync('coopmat-analyzer/configurations', parameters, 5000, source)
    return answer and answer.result and answer.result.inView
  end
  check('another configuration can be picked', wait(function() return in_view() == 'tiles' end), in_view())
  check('the list says what is particular about each', vim.iter(asked.items or {}):any(function(item)
    return item:find('tiles') and item:find('TILES=2')
  end), asked.items)
  check('names are completed', vim.deep_equal(vim.fn.getcompletion('CoopmatConfig pl', 'cmdline'), { 'plain' }))
  vim.cmd('CoopmatConfig plain')
  check('or named', wait(function() return in_view() == 'plain' end), in_view())

  -- Specialization constants, and what is kept of all that.
  local function shown() return vim.b[source].coopmat_analyzer or {} end
  vim.cmd('CoopmatConfig tiles')
  vim.cmd('CoopmatSpecialize TILE_M=8')
  check('values of constants are typed', wait(function() return shown().specialization == 'TILE_M=8' end), shown())
  check('and what is in view is known to status lines', shown().configuration == 'tiles', shown())
  vim.cmd('CoopmatConfig! tiles')
  check('a configuration becomes a favourite', wait(function()
    local parameters = { uri = vim.uri_from_bufnr(source) }
    local answer = client():request_sync('coopmat-analyzer/configurations', parameters, 5000, source)
    return vim.iter(answer.result.configurations):any(function(one) return one.favourite end)
  end))
  client():stop()
  wait(function() return client() == nil end)
  vim.cmd.edit()
  wait(function() return client() ~= nil and client().initialized end)
  check('a restart keeps what was chosen', wait(function() return in_view() == 'tiles' end), in_view())
  check('values, too', wait(function() return shown().specialization == 'TILE_M=8' end), shown())
  asked = {}
  answer_with(function(one) return one.name == 'plain' end, asked)
  vim.cmd('CoopmatConfig')
  check('favourites come first', wait(function() return (asked.items or { '' })[1]:find('tiles') ~= nil end), asked.items)
  vim.cmd('CoopmatSpecialize project')
  check('and are given up', wait(function() return shown().specialization == vim.NIL and shown().configuration == 'plain' end), shown())

  -- Two configurations beside each other.
  vim.cmd('CoopmatCompare tiles')
  check('two modules are compared', wait(function() return #vim.api.nvim_tabpage_list_wins(0) == 2 and vim.wo.diff end))
  local bar = vim.wo.winbar
  check('the other one is on the right', bar == 'tiles' and text_of(0):find('OpEntryPoint') ~= nil, bar)
  vim.cmd('tabclose')

  -- Devices.
  check('devices are completed', vim.tbl_contains(vim.fn.getcompletion('CoopmatDevice nvidia', 'cmdline'), 'nvidia-h200'))
  vim.cmd('CoopmatDevice nvidia-h200')
  local function device()
    local answer = client():request_sync('coopmat-analyzer/devices', nil, 5000, source)
    return answer and answer.result and answer.result.chosen
  end
  check('a device is chosen', wait(function() return device() == 'nvidia-h200' end))
  vim.cmd('CoopmatDevice project')
  check('and given up', wait(function() return device() == vim.NIL end))

  -- Portability.
  vim.cmd('CoopmatPortability')
  check('the table of devices opens', wait(function()
    local table_buffer = buffer_named('Devices for gemm.comp')
    return table_buffer ~= nil and text_of(table_buffer):find('nvidia', 1, true) ~= nil
  end))
  vim.cmd.close()

  -- Lenses run through the plugin.
  local commands = {}
  -- That of the SPIR-V comes when the module has been compiled.
  wait(function()
    local parameters = { textDocument = { uri = vim.uri_from_bufnr(source) } }
    local lenses = client():request_sync('textDocument/codeLens', parameters, 5000, source)
    for _, lens in ipairs(lenses and lenses.result or {}) do
      if lens.command and lens.command ~= vim.NIL then
        commands[lens.command.command] = lens.command
      end
    end
    return commands['coopmat-analyzer.showSpirv'] ~= nil
  end)
  check('every lens that does something has its command', vim.iter(commands):all(function(name)
    return name == '' or vim.lsp.commands[name] ~= nil
  end), vim.tbl_keys(commands))
  local show = commands['coopmat-analyzer.showSpirv']
  if check('functions have a lens for their SPIR-V', show ~= nil) then
    vim.lsp.commands[show.command](show, {})
    check('which opens the function', wait(function()
      local preview = require('coopmat_analyzer.spirv').preview(source)
      return preview ~= nil and text_of(preview.buffer):find('OpFunction', 1, true) ~= nil
    end))
    vim.cmd('CoopmatSpirv close')
  end

  -- The page of a diagnostic, and of what an extension brings.
  for _, one in ipairs({
    { 'diagnostics/coopmat-operand-use.md', 'markdown', '# coopmat-operand-use' },
    { 'builtins/GL_KHR_cooperative_matrix.glsl', 'glsl', 'coopMatMulAdd' },
  }) do
    vim.cmd.edit('coopmat-analyzer:/' .. one[1])
    local page = vim.api.nvim_get_current_buf()
    local arrived = wait(function() return text_of(page):find(one[3], 1, true) ~= nil end)
    check(one[1] .. ' is a page', arrived and vim.bo[page].filetype == one[2], vim.bo[page].filetype)
    vim.cmd.bwipeout({ bang = true })
  end

  -- A module in words.
  local module = vim.fs.joinpath(vim.fs.dirname(vim.env.EXAMPLE), 'gemm.spv')
  vim.system({ vim.env.SERVER, 'spirv', vim.env.EXAMPLE, '-o', module }):wait()
  vim.cmd.edit(module)
  local words = vim.api.nvim_get_current_buf()
  check('a file of words is shown as its text', text_of(words):find('%main = OpFunction %void', 1, true) ~= nil, text_of(words):sub(1, 200))
  check('which is assembly and is only read', vim.bo.filetype == 'spirv' and vim.bo.readonly and not vim.bo.modifiable)
  check('the server answers in it', wait(function() return #vim.lsp.get_clients({ bufnr = words }) == 1 end))
  vim.fn.search('OpCapability Shader')
  vim.lsp.buf.hover()
  local hover
  wait(function()
    hover = checks.floating()
    return hover ~= nil
  end)
  check('a hover documents the instruction', hover ~= nil and hover:find('OpCapability', 1, true) ~= nil, hover)
  local before = vim.fn.getfsize(module)
  vim.cmd('silent! write!')
  check('writing leaves the words alone', vim.fn.getfsize(module) == before)
  vim.cmd.bwipeout({ bang = true })

  -- Colours: the server's modifiers for the uses of matrices.
  check('the uses of matrices have groups', vim.fn.hlexists('CoopmatMatrixA') == 1)

  -- Health and help.
  vim.cmd('checkhealth coopmat_analyzer')
  local health = text_of(0)
  check('the health check finds the server', health:find('coopmat-analyzer 0', 1, true) ~= nil, health)
  check('the health check finds no error', health:find('ERROR', 1, true) == nil, health)
  vim.cmd.bwipeout({ bang = true })
  local doc = vim.env.DOC
  vim.cmd('helptags ' .. vim.fn.fnameescape(doc))
  local tags = table.concat(vim.fn.readfile(doc .. '/tags'), '\n')
  for _, command in ipairs({ 'CoopmatSpirv', 'CoopmatRun', 'CoopmatConfig', 'CoopmatDevice', 'CoopmatPortability', 'CoopmatParser' }) do
    check(command .. ' has help', vim.fn.exists(':' .. command) == 2 and tags:find(':' .. command, 1, true) ~= nil)
  end
end)
