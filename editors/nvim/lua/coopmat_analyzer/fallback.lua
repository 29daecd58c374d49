-- Neovim before 0.11, which has no vim.lsp.config: starts the server for each shader's root. Tried with 0.7, for diagnostics and hovers.
-- What the newer configuration says is read from the same file, so that both know one command and one list of markers.

local M = {}

local clients = {}

local function configuration()
  local file = vim.api.nvim_get_runtime_file('lsp/coopmat_analyzer.lua', false)[1]
  local config = dofile(file)
  return vim.tbl_deep_extend('force', config, vim.g.coopmat_analyzer_config or {})
end

local function root_of(path, markers)
  local folder = vim.fn.fnamemodify(path, ':p:h')
  for _, marker in ipairs(markers) do
    local found = vim.fn.findfile(marker, vim.fn.escape(folder, ' ;,') .. ';')
    if found == '' then
      found = vim.fn.finddir(marker, vim.fn.escape(folder, ' ;,') .. ';')
    end
    if found ~= '' then
      return vim.fn.fnamemodify((vim.fn.fnamemodify(found, ':p'):gsub('/$', '')), ':h')
    end
  end
  return folder
end

local function attach(buffer)
  local path = vim.api.nvim_buf_get_name(buffer)
  if path == '' or vim.bo[buffer].buftype ~= '' then
    return
  end
  local config = configuration()
  -- It is for the configuration to say which files have shaders in them.
  local wanted = false
  config.root_dir(buffer, function() wanted = true end)
  if not wanted then
    return
  end
  local root = root_of(path, config.root_markers)
  local id = clients[root]
  if not id or not vim.lsp.get_client_by_id(id) then
    if vim.fn.executable(config.cmd[1]) == 0 then
      vim.notify_once('coopmat-analyzer: the program ' .. config.cmd[1] .. ' is not on PATH', vim.log.levels.WARN)
      return
    end
    id = vim.lsp.start_client({
      name = 'coopmat_analyzer',
      cmd = config.cmd,
      root_dir = root,
      init_options = config.init_options or (config.settings or {})['coopmat-analyzer'],
      settings = config.settings,
      on_attach = config.on_attach,
    })
    clients[root] = id
  end
  if id then
    vim.lsp.buf_attach_client(buffer, id)
  end
end

function M.start()
  vim.api.nvim_create_autocmd('FileType', {
    pattern = configuration().filetypes,
    callback = function(event) attach(event.buf or vim.api.nvim_get_current_buf()) end,
  })
end

return M
