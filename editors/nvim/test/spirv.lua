-- The module beside the shader, through `:CoopmatSpirv`: cursors that follow each other, edits, hovers, lines beneath the source.
-- Called by diagnostics.lua with the shader's buffer in view and without mistakes in it.

local checks = dofile(vim.fs.joinpath(vim.fs.dirname(vim.env.SCRIPT), 'checks.lua'))
local text_of, wait = checks.text, checks.wait

--- The lines that a namespace marks in a buffer.
local function marked(buffer, namespace)
  local space = vim.api.nvim_get_namespaces()[namespace]
  local marks = vim.api.nvim_buf_get_extmarks(buffer, space, 0, -1, { details = true })
  return vim.tbl_map(function(mark)
    return vim.api.nvim_buf_get_text(buffer, mark[2], mark[3], mark[4].end_row, mark[4].end_col, {})[1]
  end, marks)
end

local function moved(buffer) vim.api.nvim_exec_autocmds('CursorMoved', { buffer = buffer }) end

return function(check, source, line_of_main)
  local window = vim.api.nvim_get_current_win()
  vim.cmd('CoopmatSpirv')
  local preview = require('coopmat_analyzer.spirv').preview(source)
  check('the module opens beside the shader, the cursor stays', #vim.api.nvim_list_wins() == 2 and vim.api.nvim_get_current_win() == window)
  local buffer = preview.buffer
  local function wait_for(wanted)
    return wait(function() return wanted(text_of(buffer)) end)
  end
  local arrived = wait_for(function(text) return text:find('OpCooperativeMatrixMulAddKHR', 1, true) ~= nil end)
  if not check('the module has the multiply-add', arrived, text_of(buffer):sub(1, 200)) then
    return
  end

  -- From the source to the module.
  local line = vim.fn.search([[= coopMatMulAdd(]], 'w')
  moved(source)
  local instructions = marked(buffer, 'coopmat-spirv-links')
  local found = vim.iter(instructions):any(function(text) return text:find('OpCooperativeMatrixMulAddKHR', 1, true) end)
  check("the cursor's expression marks its instructions", found, instructions)

  -- And back.
  local other = vim.fn.bufwinid(buffer)
  vim.api.nvim_set_current_win(other)
  vim.fn.cursor(1, 1)
  vim.fn.search('OpCooperativeMatrixMulAddKHR', 'W')
  moved(buffer)
  local sources = marked(source, 'coopmat-spirv-links')
  check("the cursor's instruction marks its source", vim.iter(sources):any(function(text) return text:find('coopMatMulAdd', 1, true) end), sources)
  local first, last = unpack(vim.api.nvim_win_call(window, function() return { vim.fn.line('w0'), vim.fn.line('w$') } end))
  check('the source is scrolled to it', first <= line and line <= last, ('%d not in %d..%d'):format(line, first, last))

  vim.api.nvim_feedkeys('K', 'xt', false)
  wait(function() return vim.iter(vim.api.nvim_list_wins()):any(function(one) return vim.api.nvim_win_get_config(one).relative ~= '' end) end)
  local hover = checks.floating() or ''
  check('hovering explains the instruction', hover:find('A times B plus C', 1, true) ~= nil, hover)
  check('the hover says where it comes from', hover:find('From mul_mm.comp:', 1, true) ~= nil, hover)
  vim.api.nvim_feedkeys(vim.keycode('<cr>'), 'xt', false)
  check('return goes to the source', vim.api.nvim_get_current_buf() == source and vim.fn.line('.') == line, vim.fn.line('.'))

  -- A mistake leaves the module, and taking it back gives the module back.
  local good = text_of(buffer)
  vim.api.nvim_buf_set_lines(source, line_of_main, line_of_main, false, { '    nothing_of_this_name = 1;' })
  check('a mistake leaves the last module, and says so', wait(function() return preview.stale ~= nil end) and text_of(buffer):find('OpCooperativeMatrixMulAddKHR', 1, true) ~= nil)
  check('above the module stands why', vim.wo[other].winbar:find('nothing_of_this_name', 1, true) ~= nil, vim.wo[other].winbar)
  vim.api.nvim_buf_set_lines(source, line_of_main, line_of_main + 1, false, {})
  check('taking it back brings the module back', wait(function() return preview.stale == nil and text_of(buffer) == good end))
  vim.api.nvim_buf_set_lines(source, line_of_main, line_of_main, false, { '    if (gl_LocalInvocationIndex == 77777) return;' })
  check('an edit is followed', wait_for(function(text) return text:find('77777', 1, true) ~= nil end))
  vim.api.nvim_buf_set_lines(source, line_of_main, line_of_main + 1, false, {})
  check('and back', wait_for(function(text) return text == good end))

  -- A function alone, and optimised.
  vim.cmd('CoopmatSpirv function=main optimise')
  local one_function = wait_for(function(text) return text ~= good and select(2, text:gsub('OpFunction ', '')) == 1 end)
  check('a function can be shown alone', one_function, text_of(buffer):sub(1, 200))
  vim.cmd('CoopmatSpirv close')
  check('the split is closed', not vim.api.nvim_buf_is_valid(buffer) and #vim.api.nvim_list_wins() == 1)

  -- Beneath a line.
  local function beneath()
    local space = vim.api.nvim_get_namespaces()['coopmat-spirv-inline']
    local marks = vim.api.nvim_buf_get_extmarks(source, space, { line - 1, 0 }, { line - 1, -1 }, { details = true })
    local lines = marks[1] and marks[1][4].virt_lines or {}
    return table.concat(vim.tbl_map(function(one) return one[1][1] end, lines), '\n')
  end
  vim.cmd(line .. 'CoopmatSpirv inline')
  local unfolded = wait(function() return beneath():find('OpCooperativeMatrixMulAddKHR', 1, true) ~= nil end)
  check('a line unfolds into its instructions', unfolded, beneath())
  vim.cmd(line .. 'CoopmatSpirv inline')
  check('and folds them away', beneath() == '', beneath())
  vim.cmd('CoopmatSpirv inline')
  check('all lines unfold', wait(function() return beneath():find('OpCooperativeMatrixMulAddKHR', 1, true) ~= nil end))
  vim.cmd('CoopmatSpirv close')

  -- The same as a document of its own, by its URI.
  local uri = 'coopmat-spirv:' .. vim.uri_from_bufnr(source):gsub('^file://', '') .. '.spvasm?source'
  vim.cmd.split({ args = { vim.fn.fnameescape(uri) } })
  buffer = vim.api.nvim_get_current_buf()
  arrived = wait_for(function(text) return text:find('OpCooperativeMatrixMulAddKHR', 1, true) ~= nil end)
  check('the document can be opened by its URI', arrived, text_of(buffer):sub(1, 200))
  vim.cmd.bwipeout({ bang = true })
end
