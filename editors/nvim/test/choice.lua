-- What a choice of the configuration changes on the screen: diagnostics, signs, colours and lenses after each choice are those of a file that is opened in it.
-- With the plugin, and with settings of the user's own. Environment: SERVER is the program, PLUGIN the plugin's folder, NVIM_COMMAND starts a Neovim.

local here = vim.fs.dirname(vim.env.SCRIPT)
local checks = dofile(vim.fs.joinpath(here, 'checks.lua'))
local terminals = dofile(vim.fs.joinpath(here, 'terminal.lua'))
local check = checks.check

local PROJECT = [=[
[[shaders]]
files = ["*.comp"]
in-view = "plain"

[[shaders.configurations]]
name = "plain"

[[shaders.configurations]]
name = "wide"
defines = { WIDE = "" }

[[shaders.configurations]]
name = "broken"
defines = { WIDE = "", BROKEN = "" }
]=]

--- More than a screen of text, whose colours, inactive lines and mistakes depend on the configuration.
local function shader()
  local lines = {
    '#version 460',
    'layout(local_size_x = 32) in;',
    'layout(binding = 0) buffer Data { float values[]; };',
    '#ifdef WIDE',
    '#define WIDTH 4',
    'float first(int at) { return values[at * WIDTH]; }',
    'float second(int at) { return values[at * WIDTH + 1]; }',
    '#else',
    'const int WIDTH = 2;',
    '#endif',
    'float step_0(float from) { return from; }',
  }
  for number = 1, 30 do
    vim.list_extend(lines, {
      ('float step_%d(float from) {'):format(number),
      '#ifdef WIDE',
      ('    return step_%d(from) * float(WIDTH + %d) + first(%d) + second(0);'):format(number - 1, number, number),
      '#else',
      ('    return step_%d(from) * float(WIDTH - %d);'):format(number - 1, number),
      '#endif',
      '}',
    })
  end
  return vim.list_extend(lines, {
    'void main() {',
    '    values[WIDTH] = step_30(1.0);',
    '#ifdef BROKEN',
    '    values[0] = missing_name;',
    '#endif',
    '}',
  })
end

--- Counts of diagnostics by their id, and the cells of the screen at the beginning and at the end of the file.
local function seen(child)
  local found = { diagnostics = child:lua([[
    local told = {}
    for _, one in ipairs(vim.diagnostic.get(0)) do
      table.insert(told, one.lnum .. ': ' .. one.code)
    end
    return told
  ]]) }
  for _, key in ipairs({ 'gg', 'G' }) do
    child:lua('vim.cmd.normal({ ..., bang = true })', key)
    found[key] = child:cells()
  end
  return found
end

--- What stays the same for a second: lenses of modules come once nobody types.
local function settled(child)
  local before
  local since = vim.uv.hrtime()
  vim.wait(20000, function()
    local now = seen(child)
    if not vim.deep_equal(now, before) then
      before, since = now, vim.uv.hrtime()
    end
    return vim.uv.hrtime() - since > 1e9
  end, 100)
  return before
end

--- The first line of the screen that differs, told in short.
local function difference(wanted, got)
  if not vim.deep_equal(wanted.diagnostics, got.diagnostics) then
    return { wanted = wanted.diagnostics, got = got.diagnostics }
  end
  for _, key in ipairs({ 'gg', 'G' }) do
    for row, line in ipairs(wanted[key]) do
      if line ~= got[key][row] then
        return ('line %d after %s:\n%s\n%s'):format(row, key, line, got[key][row])
      end
    end
  end
end

local function try(way, child, choose)
  local folder = vim.fn.tempname()
  vim.fn.mkdir(folder, 'p')
  folder = vim.uv.fs_realpath(folder)
  vim.fn.writefile(vim.split(PROJECT, '\n'), folder .. '/coopmat-analyzer.toml')
  vim.fn.writefile(shader(), folder .. '/a.comp')
  local function open()
    child:lua('vim.cmd.edit(...)', folder .. '/a.comp')
    return vim.wait(20000, function()
      return child:lua('return #vim.lsp.get_clients({ bufnr = 0 }) == 1 and vim.lsp.get_clients({ bufnr = 0 })[1].initialized == true')
    end, 20)
  end
  if not check(way .. ': the server starts', open()) then
    return
  end

  -- How each configuration looks in a file that has just been opened.
  local wanted = {}
  for _, name in ipairs({ 'plain', 'wide', 'broken' }) do
    choose(name)
    settled(child)
    child:lua('vim.cmd.bwipeout({ bang = true })')
    open()
    wanted[name] = settled(child)
  end
  local mistakes = vim.tbl_map(function(one) return one.diagnostics end, wanted)
  check(way .. ': mistakes are those of the configuration', #mistakes.plain == 0 and #mistakes.wide == 0 and #mistakes.broken == 1, mistakes)
  check(way .. ': each configuration has its colours', not vim.deep_equal(wanted.plain, wanted.wide))

  -- Code that is left out is grey, without signs and underlines.
  local lines = shader()
  local function groups_of(text)
    for number, line in ipairs(lines) do
      local at = line:find(text, 1, true)
      if at then
        child:lua('vim.api.nvim_win_set_cursor(0, { ..., 0 })', number)
        return child:groups(number - 1, at - 1)
      end
    end
  end
  choose('plain')
  local left_out = '@lsp.type.comment.glsl'
  check(way .. ': what is left out is grey', vim.wait(10000, function()
    return vim.deep_equal(groups_of('float second'), { left_out }) and vim.deep_equal(groups_of('values[0] ='), { left_out })
  end, 50), groups_of('float second'))
  check(way .. ': what is not is not', not vim.tbl_contains(groups_of('const int WIDTH'), left_out), groups_of('const int WIDTH'))
  local marks = child:lua([[
    local marks = {}
    for name, space in pairs(vim.api.nvim_get_namespaces()) do
      if name:find('diagnostic') then
        vim.list_extend(marks, vim.api.nvim_buf_get_extmarks(0, space, 0, -1, { details = true }))
      end
    end
    return marks
  ]])
  check(way .. ': there are no signs and no underlines', #marks == 0, marks[1])

  -- One after another, and so fast that answers come late.
  for _, name in ipairs({ 'wide', 'plain', 'broken', 'plain', 'wide', 'broken', 'wide', 'plain' }) do
    choose(name)
    local got
    local same = vim.wait(3000, function()
      got = seen(child)
      return vim.deep_equal(got, wanted[name])
    end, 50)
    check(way .. ': after the choice of ' .. name .. ' the screen is as if it were opened so', same, difference(wanted[name], got))
  end
  for _, name in ipairs({ 'wide', 'broken', 'plain', 'wide', 'plain', 'broken' }) do
    choose(name)
  end
  local same = vim.wait(3000, function() return vim.deep_equal(seen(child), wanted.broken) end, 50)
  check(way .. ': after six choices in a row, too', same, difference(wanted.broken, seen(child)))
  -- And the colours are still those after an edit, which asks for what changed alone.
  child:lua('vim.api.nvim_buf_set_lines(0, 0, 0, false, { "// one more line" })')
  settled(child)
  child:lua('vim.api.nvim_buf_set_lines(0, 0, 1, false, {})')
  same = vim.wait(3000, function() return vim.deep_equal(seen(child), wanted.broken) end, 50)
  check(way .. ': after an edit that is taken back, too', same, difference(wanted.broken, seen(child)))
  child:close()
end

checks.run(function()
  -- What other configurations say is looked at when there is time, and would come in between.
  local settings = '{ ["coopmat-analyzer"] = { configurations = { background = false } } }'
  local configure = 'lua vim.lsp.config("%s", { cmd = { vim.env.SERVER, "lsp" }, settings = ' .. settings .. ', %s })'
  local plugin = terminals.start({
    '--clean', '--cmd', 'set runtimepath^=' .. vim.env.PLUGIN, '-c', configure:format('coopmat_analyzer', ''),
    -- Inlay hints are left out: Neovim 0.12.4 keeps those of a line that is drawn between its question and the answer, as reading the screen makes it do.
    '-c', 'lua vim.lsp.codelens.enable(true)',
  })
  try('plugin', plugin, function(name)
    plugin:type(':CoopmatConfig ' .. name .. '<CR>')
    plugin:shows('configuration ' .. name)
  end)

  -- As docs/editors.md has it for those without the plugin; there is no command, so that a mapping of one's own asks the server.
  local plain = terminals.start({
    '--clean', '-c', configure:format('coopmat-analyzer', 'filetypes = { "glsl" }, root_markers = { "coopmat-analyzer.toml", ".git" }'),
    '-c', 'lua vim.lsp.enable("coopmat-analyzer")',
  })
  try('settings', plain, function(name)
    plain:lua(
      [[
      local parameters = { uri = vim.uri_from_bufnr(0), name = ... }
      vim.lsp.get_clients({ bufnr = 0 })[1]:request('coopmat-analyzer/setConfiguration', parameters, function() end, 0)
    ]],
      name
    )
  end)
end)
