import { expect } from 'chai'
import { CliError, exitCodes } from '../../cli/server/exit-codes.ts'
import { defineCommand, runCli } from '../../cli/program.ts'

const greet = defineCommand<{ name: string; loud: boolean }>({
  command: 'greet <name>',
  describe: 'Greet somebody',
  builder: (args) =>
    args
      .positional('name', { type: 'string', demandOption: true })
      .option('loud', { type: 'boolean', default: false }),
  handler: async ({ name, loud }) => {
    if (name === 'nobody') throw new CliError(exitCodes.denied, 'nobody is here')
    if (name === 'bug') throw new TypeError('a bug')
    if (loud) throw new CliError(exitCodes.unreachable, `${name} is too far away`)
  },
})

const run = async (...args: string[]) => {
  const said = { out: '', err: '' }
  const code = await runCli(args, [greet], {
    out: (text) => (said.out += text),
    err: (text) => (said.err += text),
  })
  return { code, ...said }
}

describe('svc on the command line', () => {
  it('shows its commands on request, or without arguments', async () => {
    for (const args of [[], ['--help'], ['-h']]) {
      const { code, out, err } = await run(...args)
      expect({ code, err }).to.deep.equal({ code: 0, err: '' })
      expect(out).to.match(/svc greet <name> +Greet somebody/)
    }
    expect((await run('greet', '--help')).out).to.contain('--loud')
  })

  it('prints its version', async () => {
    expect((await run('--version')).out).to.match(/^\d+\.\d+\.\d+\n$/)
  })

  it('exits with 0 and no output on success', async () => {
    expect(await run('greet', 'ada')).to.deep.equal({ code: 0, out: '', err: '' })
  })

  const usage: Record<string, [string[], RegExp]> = {
    'an unknown command': [['greeet', 'ada'], /Unknown command: greeet; did you mean "svc greet"\?/],
    'an unknown command without a similar one': [
      ['frobnicate'],
      /Unknown command: frobnicate\nRun "svc --help"/,
    ],
    'an unknown option': [['greet', 'ada', '--lowd'], /Unknown argument: lowd\nRun "svc greet --help"/],
    'an option in place of a command': [['--lowd'], /Unknown argument: lowd\nRun "svc --help"/],
    'a missing argument': [['greet'], /Not enough .*\nRun "svc greet --help"/],
    'an extra argument': [['greet', 'ada', 'bob'], /Unknown argument: bob/],
  }
  for (const [what, [args, message]] of Object.entries(usage)) {
    it(`exits with 2 and a hint for ${what}`, async () => {
      const { code, out, err } = await run(...args)
      expect({ code, out }).to.deep.equal({ code: 2, out: '' })
      expect(err).to.match(message)
    })
  }

  it("exits with a command's own code and message, without a stack", async () => {
    expect(await run('greet', 'nobody')).to.deep.equal({ code: 4, out: '', err: 'svc: nobody is here\n' })
    expect((await run('greet', 'ada', '--loud')).code).to.equal(5)
  })

  it('exits with 1 and a stack after a bug', async () => {
    const { code, err } = await run('greet', 'bug')
    expect(code).to.equal(1)
    expect(err).to.match(/^svc: TypeError: a bug\n +at /)
  })
})
