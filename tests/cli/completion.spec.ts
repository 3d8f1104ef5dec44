/** `svc completion`: what a shell offers, in the shells themselves where they are installed. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { commands } from '../../cli/commands.ts'
import { completionLines } from '../../cli/completion.ts'
import { completionScripts } from '../../cli/completion-scripts.ts'
import { declaredBy } from '../../cli/declared.ts'
import { program } from '../support/service/processes.ts'

const run = promisify(execFile)

/** The candidates for words that are separated by spaces, the last perhaps empty. */
const candidates = (line: string): readonly string[] =>
  completionLines(commands, line.split(' '))
    .split('\n')
    .filter((each) => each !== '')
    .map((each) => each.split('\t', 1)[0] ?? '')

describe('CLI-02 completion of the command line', function () {
  this.timeout(60_000)
  let dir: string
  let env: NodeJS.ProcessEnv

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'svc-completion-'))
    const words = [process.execPath, ...program].map((word) => `'${word}'`).join(' ')
    await writeFile(join(dir, 'svc'), `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 })
    env = { ...process.env, PATH: `${dir}:${process.env['PATH'] ?? ''}`, HOME: dir }
    for (const [shell, script] of Object.entries(completionScripts))
      await writeFile(join(dir, `svc.${shell}`), script)
  })
  after(() => rm(dir, { recursive: true, force: true }))

  const lines: Readonly<Record<string, readonly string[]>> = {
    lo: ['login', 'logout'],
    '--': ['--help', '--version'],
    'login --n': ['--no-browser'],
    'login --admin --a': [],
    'login --server https://id.example.com --ad': ['--admin'],
    'login --server ': [],
    'completion ': ['bash', 'zsh', 'fish'],
    'completion z': ['zsh'],
    'completion --shell=z': ['--shell=zsh'],
    'completion --shell = z': ['zsh'],
    'completion --shell =': ['bash', 'zsh', 'fish'],
    'completion bash --': ['--help'],
    'api P': ['POST', 'PUT', 'PATCH'],
    'api --server https://id.example.com PO': ['POST'],
    'api GET ': [],
    'plan --d': ['--dir', '--detailed-exitcode'],
    'plan -f config --d': ['--detailed-exitcode'],
    'audit tail --filter action=user.* --fi': ['--filter'],
    'nonsense ': [],
    'ssh-cert --out /tmp': [],
  }
  for (const [line, expected] of Object.entries(lines))
    it(`offers ${expected.length === 0 ? 'nothing' : expected.join(', ')} for "svc ${line}"`, () => {
      expect(candidates(line)).to.deep.equal(expected)
    })

  it('offers every command, and every option of each', () => {
    const names = commands.map((command) => declaredBy(command).name)
    expect(candidates('')).to.deep.equal(names)
    for (const command of commands) {
      const { name, options, positionals } = declaredBy(command)
      const offered = candidates(`${name} -`)
      for (const option of options) expect(offered, name).to.include(option.name)
      for (const { describe: text } of [...options, ...positionals]) expect(text, name).to.match(/^\S.*\S$/)
    }
  })

  it('bash completes', async () => {
    const asked = async (...words: readonly string[]) => {
      const quoted = words.map((word) => `'${word}'`).join(' ')
      const text = `source "$HOME/svc.bash"
        COMP_WORDS=(svc ${quoted}); COMP_CWORD=${String(words.length)}
        _svc && printf '%s\\n' "\${COMPREPLY[@]}"; complete -p svc`
      return (await run('bash', ['--norc', '-c', text], { env })).stdout.trim().split('\n')
    }
    const registered = 'complete -o default -F _svc svc'
    expect(await asked('lo')).to.deep.equal(['login', 'logout', registered])
    expect(await asked('completion', '--shell', '=', 'f')).to.deep.equal(['fish', registered])
    expect(await asked('login', '--ad')).to.deep.equal(['--admin', registered])
  })

  it('svc completion prints the scripts, and nothing for another shell', async () => {
    for (const [shell, script] of Object.entries(completionScripts))
      expect((await run('svc', ['completion', shell], { env })).stdout).to.equal(script)
    const refused = await run('svc', ['completion', 'tcsh'], { env }).catch((error: unknown) => error)
    expect(refused).to.include({ code: 2, stdout: '' })
  })

  const isInstalled = (shell: string): Promise<boolean> =>
    run(shell, ['--version']).then(
      () => true,
      () => false,
    )

  it('fish completes, with descriptions', async function () {
    if (!(await isInstalled('fish'))) return this.skip()
    const text = `source $HOME/svc.fish; complete -C 'svc lo'; complete -C 'svc completion b'; complete -C 'svc restore ${dir}/sv'`
    const { stdout } = await run('fish', ['--no-config', '-c', text], { env })
    expect(stdout.trim().split('\n').slice(0, 3)).to.deep.equal([
      'login\tSign in on this computer by approving it in a browser',
      'logout\tSign out on this computer, for administration too',
      'bash',
    ])
    expect(stdout).to.contain(`${dir}/svc.fish`)
  })

  it('zsh completes', async function () {
    if (!(await isInstalled('zsh'))) return this.skip()
    const text = `zmodload zsh/zpty
      zpty shell zsh -f -i
      zpty -w shell 'PS1=; autoload -Uz compinit; compinit -u -D; source "$HOME/svc.zsh"; echo rea""dy'
      zpty -r shell out '*ready*'
      zpty -w -n shell $'svc completion b\\t'
      zpty -r shell out '*completion bash*'
      print -r -- $out`
    const { stdout } = await run('zsh', ['-f', '-c', text], { env })
    expect(stdout).to.match(/svc completion bash/)
  })

  it('loads neither the server nor the database', async () => {
    const coverage = join(dir, 'coverage')
    await mkdir(coverage)
    // The built program has other files.
    const main = fileURLToPath(new URL('../../cli/main.ts', import.meta.url))
    const args = ['--import', import.meta.resolve('tsx'), main, '--complete', 'lo']
    await run(process.execPath, args, { env: { ...env, NODE_V8_COVERAGE: coverage } })
    const loaded = await Promise.all(
      (await readdir(coverage)).map((name) => readFile(join(coverage, name), 'utf8')),
    )
    const urls = loaded.flatMap((text) =>
      [...text.matchAll(/"url":"(file:[^"]+)"/g)].map(([, url]) => url ?? ''),
    )
    expect(urls.some((url) => url.endsWith('/cli/completion.ts'))).to.equal(true)
    expect(urls.filter((url) => /\/(?:adapters|domain|read-models|projections)\//.test(url))).to.deep.equal(
      [],
    )
    expect(urls.filter((url) => /node_modules\/(?:pg|express|jose|typebox|rxjs)\//.test(url))).to.deep.equal(
      [],
    )
  })
})
