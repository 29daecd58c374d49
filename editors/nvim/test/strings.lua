-- A C++ file with three shaders in raw strings: diagnostics, hovers and colours in place, on the screen. With the plugin, and with settings of the user's own.
-- Environment: SERVER is the program, PLUGIN the plugin's folder, STRINGS the file, NVIM_COMMAND starts a Neovim.

local here = vim.fs.dirname(vim.env.SCRIPT)
local checks = dofile(vim.fs.joinpath(here, 'checks.lua'))
local terminals = dofile(vim.fs.joinpath(here, 'terminal.lua'))
local check = checks.check

local function try(way, child)
  child:opens('edit', vim.env.STRINGS)
  local function diagnostics()
    return child:lua([[
      return vim.tbl_map(function(one)
        local line = vim.api.nvim_buf_get_lines(0, one.lnum, one.lnum + 1, false)[1]
        return { one.code, one.lnum + 1, line:sub(one.col + 1, one.end_col) }
      end, vim.diagnostic.get(0))
    ]])
  end
  local lines = vim.fn.readfile(vim.env.STRINGS)
  local function line_of(text)
    for number, line in ipairs(lines) do
      if line:find(text, 1, true) then
        return number, line:find(text, 1, true)
      end
    end
  end
  local mistake = { 'undeclared-name', (line_of('shown = colour')), 'colour' }
  check(way .. ': the mistake is told in its string, and nothing else', vim.wait(20000, function()
    return vim.deep_equal(diagnostics(), { mistake })
  end, 50), diagnostics())
  local function underlined()
    local line, column = line_of('colour')
    return vim.tbl_contains(child:groups(line - 1, column - 1), 'DiagnosticUnderlineError')
  end
  check(way .. ': it is underlined', vim.wait(5000, underlined, 50))

  -- Hovers, by the key for them.
  for _, one in ipairs({
    { 'numbers[gl', 'float[]' },
    { 'shown = ', 'vec4' },
    { 'part, tile, 0, 8', '16 x 8' },
  }) do
    local line, column = line_of(one[1])
    child:lua('vim.api.nvim_win_set_cursor(0, { ... })', line, column - 1)
    child:type('K')
    check(way .. ': a hover over `' .. one[1] .. '` says ' .. one[2], child:floats(one[2]), child:floating())
    child:type('jk')
    vim.wait(5000, function() return child:floating() == '' end, 20)
  end
  -- C++ around them is left alone.
  local line, column = line_of('value) {')
  local asked = child:lua(
    [[
    local line, column = ...
    local parameters = { textDocument = { uri = vim.uri_from_bufnr(0) }, position = { line = line, character = column } }
    local answer = vim.lsp.get_clients({ bufnr = 0 })[1]:request_sync('textDocument/hover', parameters, 5000, 0)
    return answer.result == nil or answer.result == vim.NIL
  ]],
    line - 1,
    column - 1
  )
  check(way .. ': there is no hover over C++', asked)
  line, column = line_of('part, tile, 0, 8')
  local matrix = '@lsp.mod.matrixA.cpp'
  check(way .. ': a matrix has its colour', vim.wait(5000, function()
    return vim.tbl_contains(child:groups(line - 1, column - 1), matrix)
  end, 50), child:groups(line - 1, column - 1))

  -- An edit before the string moves the mistake, an edit in it mends it.
  child:type('ggO// one more<Esc>')
  check(way .. ': an edit above takes the diagnostic along', vim.wait(10000, function()
    return vim.deep_equal(diagnostics(), { { mistake[1], mistake[2] + 1, mistake[3] } })
  end, 50), diagnostics())
  child:type(':%s/= colour/= vec4(1)/<CR>')
  check(way .. ': mended, it goes', vim.wait(10000, function() return #diagnostics() == 0 end, 50), diagnostics())
  child:close()
end

checks.run(function()
  local configure = 'lua vim.lsp.config("%s", { cmd = { vim.env.SERVER, "lsp" }, %s })'
  try('plugin', terminals.start({
    '--clean', '--cmd', 'set runtimepath^=' .. vim.env.PLUGIN, '-c', configure:format('coopmat_analyzer', ''),
  }))
  try('settings', terminals.start({
    '--clean', '-c', configure:format('coopmat-analyzer', 'filetypes = { "glsl", "c", "cpp", "rust" }, root_markers = { ".git" }'),
    '-c', 'lua vim.lsp.enable("coopmat-analyzer")',
  }))
end)
