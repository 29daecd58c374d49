-- The plugin as somebody copies it: the folder alone, below `pack/*/start`. Completion, text objects and formatting are tried with keys in a terminal.
-- Environment: SERVER is the program, PACKS the folder with `pack`, PARSER the compiled parser, GRAMMAR the folder of its sources, EXAMPLE a shader, NVIM_COMMAND starts a
-- Neovim.

local here = vim.fs.dirname(vim.env.SCRIPT)
local checks = dofile(vim.fs.joinpath(here, 'checks.lua'))
local terminals = dofile(vim.fs.joinpath(here, 'terminal.lua'))
local check = checks.check

local function start(...)
  return terminals.start({
    '--clean', '--cmd', 'set packpath^=' .. vim.env.PACKS,
    '-c', 'lua vim.lsp.config("coopmat_analyzer", { cmd = { vim.env.SERVER, "lsp" } })', ...,
  })
end

local function health(child)
  child:type(':checkhealth coopmat_analyzer<CR>')
  child:shows('tree-sitter parser')
  local text = child:lua('return vim.api.nvim_buf_get_lines(0, 0, -1, false)')
  child:type(':bwipeout!<CR>')
  return table.concat(text, '\n')
end

local function keys(child)
  child:opens('edit', vim.env.EXAMPLE)
  if not check('a shader starts the server', vim.wait(20000, function()
    return child:lua('local one = vim.lsp.get_clients({ bufnr = 0 })[1]; return one ~= nil and one.initialized == true')
  end, 20)) then
    return
  end
  local function line() return child:lua('return vim.api.nvim_get_current_line()') end
  local function becomes(wanted) return vim.wait(10000, function() return line() == wanted end, 20) end

  -- Completion.
  child:type('/coopMatMulAdd(<CR>ocoopMatMul<C-x><C-o>')
  check('C-x C-o lists functions with what brings them', child:shows('GL_NV_cooperative_matrix2') or child:shows('coopMatMulAddNV'), child:screen())
  child:type('<C-y>')
  check('C-y takes the first', vim.wait(10000, function() return vim.trim(line()):find('^coopMatMulAdd') ~= nil end, 20), line())
  child:type('<Esc>u')
  child:type('omat<C-x><C-o>')
  check('C-x C-o lists variables with their types', child:shows('TILE_K, gl_MatrixUseA>'), child:screen())
  child:type('<C-e><Esc>u')

  -- Text objects: `an` grows, `in` shrinks.
  local function selected(objects)
    child:lua('vim.fn.setreg("\\"", "")')
    child:type('gg/coopMatMulAdd(<CR>f(lv')
    for _, object in ipairs(objects) do
      -- Each asks the server, and the next one starts from its answer.
      local before = child:lua('return { vim.fn.getpos("v"), vim.fn.getpos(".") }')
      child:type(object)
      vim.wait(3000, function() return not vim.deep_equal(before, child:lua('return { vim.fn.getpos("v"), vim.fn.getpos(".") }')) end, 20)
    end
    child:type('y')
    vim.wait(3000, function() return child:lua('return vim.fn.getreg("\\"")') ~= '' end, 20)
    return child:lua('return vim.fn.getreg("\\"")')
  end
  for _, one in ipairs({
    { { 'an' }, 'matA' },
    { { 'an', 'an' }, 'matA, matB, matC' },
    { { 'an', 'an', 'an', 'an' }, 'coopMatMulAdd(matA, matB, matC)' },
    { { 'an', 'an', 'in' }, 'matA' },
  }) do
    local got = selected(one[1])
    check('v' .. table.concat(one[1]) .. ' selects ' .. one[2], got == one[2], got)
  end

  -- Formatting: as the options of indentation say, a line by `gq` and the whole file.
  child:type(':set expandtab shiftwidth=4<CR>')
  child:type('gg/coopMatMulAdd(<CR>omatC=matC+matC;<Esc>gqq')
  check('gqq formats the line', becomes('        matC = matC+matC;'), line())
  child:type('0C  if(k==0){matC=matC*2.0;}<Esc>')
  check('a line is typed', becomes('  if(k==0){matC=matC*2.0;}'), line())
  local function text() return child:lua('return vim.api.nvim_buf_get_lines(0, 0, -1, false)') end
  local wanted = text()
  local at = child:lua('return vim.fn.line(".")')
  child:type(':lua vim.lsp.buf.format()<CR>')
  wanted[at] = '        if (k == 0) {matC = matC*2.0;}'
  check('a file is formatted, and keeps what is in order', vim.wait(10000, function() return vim.deep_equal(text(), wanted) end, 20), line())
end

checks.run(function()
  local child = start()
  keys(child)
  check('the commands are there', child:lua('return vim.fn.exists(":CoopmatRun") == 2 and vim.fn.exists(":CoopmatConfig") == 2'))

  -- Without a parser: colours of the server alone. What is recommended is done.
  local said = health(child)
  check('the health check finds the server', said:find('coopmat-analyzer 0', 1, true) ~= nil, said)
  check('and finds no error', said:find('ERROR', 1, true) == nil, said)
  check('a copied plugin has no grammar beside it', said:find(':CoopmatParser FOLDER', 1, true) ~= nil, said)
  check('nothing is recommended that is not there', said:find('TSInstall', 1, true) == nil and said:find('mason', 1, true) == nil, said)
  local function compile(folder)
    return child:lua("return { require('coopmat_analyzer.treesitter').grammar(...) or vim.NIL }", folder)[1]
  end
  check('a folder without the grammar is no grammar', compile('/') == vim.NIL)
  check('the folder that is named is', compile(vim.env.GRAMMAR .. '/') == vim.env.GRAMMAR, compile(vim.env.GRAMMAR .. '/'))
  check('so is the one around it', compile(vim.fs.dirname(vim.env.GRAMMAR)) == vim.env.GRAMMAR)
  child:close()

  -- With one, the copied queries serve it.
  child = start('--cmd', 'set runtimepath^=' .. vim.fs.dirname(vim.fs.dirname(vim.env.PARSER)))
  said = health(child)
  check('the queries of the copy fit the parser', said:find('glsl_coopmat.so', 1, true) ~= nil and said:find('ERROR', 1, true) == nil, said)
  child:close()
end)
