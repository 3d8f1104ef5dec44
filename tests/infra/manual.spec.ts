/** The manual page svc(1), which `npm run docs` generates. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { commands } from '../../cli/commands.ts'
import { declaredBy } from '../../cli/declared.ts'
import { exitCodes } from '../../cli/server/exit-codes.ts'

const run = promisify(execFile)
const path = fileURLToPath(new URL('../../infra/docs/svc.1', import.meta.url))
const page = readFileSync(path, 'utf8')
const inRoff = (text: string): string => text.replaceAll('-', '\\-')

describe('CLI-02 the manual page', () => {
  it('describes every command with its options, every exit code, and the variables', () => {
    for (const command of commands) {
      const { name, options } = declaredBy(command)
      const section = page.split(`.SS ${inRoff(name)}\n`)[1]?.split(/^\.S[SH] /m, 1)[0] ?? ''
      expect(section, name).to.contain(`\\fBsvc ${inRoff(name)}\\fR`)
      for (const option of options) expect(section, name).to.contain(`\\fB${inRoff(option.name)}\\fR`)
    }
    const statuses = page.split('.SH EXIT STATUS\n')[1]?.split('.SH ', 1)[0] ?? ''
    for (const code of Object.values(exitCodes)) expect(statuses).to.contain(`\\fB${String(code)}\\fR\n`)
    for (const name of ['SVC_API_KEY', 'SVC_PUBLIC_URL', 'SVC_RATE_LIMITS'])
      expect(page).to.contain(`\\fB${name}\\fR`)
  })

  it('has only the macros that it means, and nothing of Markdown', () => {
    const macros = new Set([...page.matchAll(/^[.'](\S*)/gm)].map(([, name]) => name))
    expect([...macros].sort()).to.deep.equal(['PP', 'SH', 'SS', 'TH', 'TP', '\\"'])
    expect(page).not.to.match(/`|\]\(/)
    expect(page).to.match(/^[\0-\x7f]+$/)
  })

  for (const [program, ...args] of [
    ['mandoc', '-T', 'lint', path],
    ['man', '--warnings', '-l', path],
  ] as const)
    it(`is read by ${program} without a warning`, async function () {
      const isInstalled = await run('sh', ['-c', `command -v ${program}`]).then(
        () => true,
        () => false,
      )
      if (!isInstalled) return this.skip()
      const { stderr, stdout } = await run(program, args)
      expect(stderr).to.equal('')
      expect(program === 'mandoc' ? stdout : '').to.equal('')
    })
})
