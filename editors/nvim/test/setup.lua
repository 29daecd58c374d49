-- A project without a project file is set up: the notification, the question for the build command, and the configurations afterwards.
-- Environment: SERVER is the program.

local checks = dofile(vim.fs.joinpath(vim.fs.dirname(vim.env.SCRIPT), 'checks.lua'))
local check, wait = checks.check, checks.wait

local SHADER = [[
#version 450
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { TYPE values[]; };
void main() { values[gl_GlobalInvocationID.x] += TYPE(COUNT); }
]]
local GENERATOR = [[
for n in 2 4; do glslc -fshader-stage=compute k.comp -o "$1/k_$n.spv" -DTYPE=float -DCOUNT=$n || exit 1; done
]]

local function write(path, text)
  local file = assert(io.open(path, 'w'))
  file:write(text)
  file:close()
end

checks.run(function()
  local folder = vim.fs.joinpath(vim.uv.fs_realpath(vim.fs.dirname(vim.fn.tempname())), 'my project')
  vim.fn.mkdir(folder .. '/.git', 'p')
  write(folder .. '/k.comp', SHADER)
  write(folder .. '/gen.sh', GENERATOR)
  write(folder .. '/Makefile', 'all:\n\tsh gen.sh .\n')
  local notified = {}
  vim.notify = function(text) table.insert(notified, text) end

  vim.lsp.config('coopmat_analyzer', { cmd = { vim.env.SERVER, 'lsp' } })
  vim.cmd.edit(vim.fn.fnameescape(folder .. '/k.comp'))
  local buffer = vim.api.nvim_get_current_buf()
  check('a note says that macros are missing', wait(function()
    return vim.iter(vim.diagnostic.get(buffer)):any(function(one) return one.code == 'missing-configuration' end)
  end), vim.diagnostic.get(buffer))
  check('a notification names the command', wait(function()
    return vim.iter(notified):any(function(text) return text:find(':CoopmatSetUp', 1, true) ~= nil end)
  end), notified)

  local asked
  vim.ui.input = function(options, done)
    asked = options
    vim.defer_fn(function() done(nil) end, 50)
  end
  vim.cmd('CoopmatSetUp')
  check('the build command is asked for', wait(function() return asked ~= nil end))
  check('with what fits the project', asked and asked.default == 'make -B', asked)
  vim.wait(300)
  check('without an answer nothing is written', vim.uv.fs_stat(folder .. '/coopmat-analyzer.toml') == nil)

  vim.ui.input = function(_, done)
    -- As an input of a plugin does it, and then as the built-in one does.
    done('sh gen.sh {build}')
  end
  vim.cmd('CoopmatSetUp')
  check('the project file is written', wait(function() return vim.uv.fs_stat(folder .. '/coopmat-analyzer.toml') ~= nil end))
  local found
  check('the shader is then checked as it is compiled', wait(function()
    local client = vim.lsp.get_clients({ bufnr = buffer })[1]
    local parameters = { uri = vim.uri_from_bufnr(buffer) }
    found = client:request_sync('coopmat-analyzer/configurations', parameters, 1000, buffer)
    local list = found and found.result or { configurations = {} }
    return list.inView == 'k_2' and #list.configurations == 2 and list.configurations[1].errors == 0
  end), found)
  check('the note is gone from the screen', wait(function() return #vim.diagnostic.get(buffer) == 0 end), vim.diagnostic.get(buffer))

  -- What is there is replaced only where the user says so.
  local before = vim.uv.fs_stat(folder .. '/coopmat-analyzer.toml').mtime
  local offered
  vim.ui.select = function(items, _, chosen)
    offered = items
    chosen(items[2])
  end
  vim.cmd('CoopmatSetUp')
  check('whether to replace it is asked', wait(function() return offered ~= nil end))
  vim.wait(300)
  check('and it is kept', vim.deep_equal(vim.uv.fs_stat(folder .. '/coopmat-analyzer.toml').mtime, before))
end)
