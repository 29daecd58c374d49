-- A second Neovim, drawn in a terminal: keys go in as a user types them, and what is on its screen can be read.
-- Environment: NVIM_COMMAND is how Neovim is started, a list in JSON. A Neovim with `--remote-ui` draws in the terminal what the other one serves.

local M = {}

local Terminal = {}
Terminal.__index = Terminal

local COLUMNS, LINES = 120, 48

--- Starts Neovim with these arguments, `--clean` among them, and draws it.
function M.start(arguments)
  local command = vim.json.decode(vim.env.NVIM_COMMAND)
  local socket = vim.fn.tempname()
  -- Messages do not wait for a key.
  local server = vim.list_extend(vim.deepcopy(command), {
    '--headless', '-n', '--listen', socket, '--cmd', 'set messagesopt=wait:0,history:500 shortmess+=I termguicolors',
  })
  local self = setmetatable({}, Terminal)
  self.server = vim.fn.jobstart(vim.list_extend(server, arguments))
  -- The socket's file is there a moment before anyone listens, and a connection is refused until then.
  local failure
  local connected = vim.wait(10000, function()
    local ok, channel = pcall(vim.fn.sockconnect, 'pipe', socket, { rpc = true })
    if ok then
      self.channel = channel
    else
      failure = channel
    end
    return ok
  end, 20)
  if not connected then error('no connection to Neovim: ' .. tostring(failure)) end
  vim.o.columns, vim.o.lines, vim.o.laststatus = COLUMNS, LINES, 0
  vim.cmd.enew()
  self.buffer = vim.api.nvim_get_current_buf()
  local ui = vim.list_extend(vim.deepcopy(command), { '--server', socket, '--remote-ui' })
  self.ui = vim.fn.jobstart(ui, { term = true })
  vim.wait(10000, function() return #self:lua('return vim.api.nvim_list_uis()') == 1 end, 20)
  return self
end

--- Types keys, in the notation of mappings: `<Esc>`, `<C-x>`.
function Terminal:type(keys) vim.fn.chansend(self.ui, vim.api.nvim_replace_termcodes(keys, true, true, true)) end

--- Opens a file by a command such as `edit` or `wincmd p | split`, and waits until its buffer is the current one: the screen shows the name as soon as it is typed.
function Terminal:opens(command, path)
  self:type((':%s %s<CR>'):format(command, vim.fn.fnameescape(path)))
  return vim.wait(15000, function()
    return self:lua('return vim.api.nvim_buf_get_name(0)') == path
  end, 20)
end

--- What Lua code answers there; its arguments are `...`.
function Terminal:lua(code, ...) return vim.rpcrequest(self.channel, 'nvim_exec_lua', code, { ... }) end

--- The lines of the terminal.
function Terminal:screen()
  local lines = vim.api.nvim_buf_get_lines(self.buffer, 0, -1, false)
  return table.concat(lines, '\n')
end

--- Waits until the screen shows this text.
function Terminal:shows(text, milliseconds)
  return vim.wait(milliseconds or 15000, function() return self:screen():find(text, 1, true) ~= nil end, 20)
end

--- What the floating windows say, with the rest of the screen left out.
function Terminal:floating()
  return self:lua([[
    local texts = {}
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(window).relative ~= '' then
        vim.list_extend(texts, vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false))
      end
    end
    return table.concat(texts, '\n')
  ]])
end

--- Waits until a floating window says this.
function Terminal:floats(text)
  return vim.wait(10000, function() return self:floating():find(text, 1, true) ~= nil end, 20)
end

--- The cells of the window with the text: letter and number of the colours, which equal colours share for as long as this Neovim runs.
function Terminal:cells()
  return self:lua([[
    vim.cmd.redraw()
    local window = vim.fn.getwininfo(vim.api.nvim_get_current_win())[1]
    local rows = {}
    for row = window.winrow, window.winrow + window.height - 1 do
      local cells = {}
      for column = window.wincol, window.wincol + window.width - 1 do
        table.insert(cells, vim.fn.screenstring(row, column) .. vim.fn.screenattr(row, column))
      end
      table.insert(rows, table.concat(cells, ' '))
    end
    return rows
  ]])
end

--- Where a piece of text stands in the window, as the groups that colour its first letter.
function Terminal:groups(line, column)
  return self:lua(
    [[
    local line, column = ...
    vim.cmd.redraw()
    local found = vim.inspect_pos(0, line, column, { syntax = false, treesitter = false })
    local groups = {}
    for _, mark in ipairs(vim.list_extend(found.extmarks, found.semantic_tokens)) do
      table.insert(groups, mark.opts.hl_group)
    end
    return groups
  ]],
    line,
    column
  )
end

function Terminal:close()
  vim.fn.jobstop(self.ui)
  vim.fn.jobstop(self.server)
end

return M
