/** Linters of others find no errors in the API document, and no warnings but those listed with their reason. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { ended, npmPackages, openApiFile, versions, workplace } from './tools.ts'

interface RedoclyProblem {
  readonly ruleId: string
  readonly severity: string
  readonly location: readonly { readonly pointer: string }[]
}
interface SpectralProblem {
  readonly code: string
  /** 0 is an error. */
  readonly severity: number
  readonly path: readonly (string | number)[]
}

/** Rules that are not followed, and why. */
const accepted: Readonly<Record<string, string>> = {
  'no-server-example.com':
    'The committed document names localhost; a running service puts its own public address there.',
  'no-illogical-composition-keywords':
    'Options without attestation mean none: the forms differ in that attestation is required in one of them.',
  'operation-description': 'The summary says what many operations do, and a description would repeat it.',
}

describe('Linters of the API document', function () {
  this.timeout(300_000)
  let folder: string
  let bin: string
  let remove: () => Promise<void>
  before(async () => {
    ;({ folder, remove } = await workplace())
    bin = await npmPackages(
      folder,
      `@redocly/cli@${versions.redocly}`,
      `@stoplight/spectral-cli@${versions.spectral}`,
    )
  })
  after(() => remove())

  it('redocly lint, recommended rules', async () => {
    const { output, errors } = await ended(join(bin, 'redocly'), ['lint', openApiFile, '--format=json'], {
      cwd: folder,
    })
    expect(output, errors).to.include('{')
    const { problems } = JSON.parse(output) as { problems: readonly RedoclyProblem[] }
    expect(problems.filter(({ severity }) => severity === 'error')).to.deep.equal([])
    expect(problems.filter(({ ruleId }) => !(ruleId in accepted))).to.deep.equal([])
    console.log(`        ${String(problems.length)} accepted warnings`)
  })

  it('spectral lint, spectral:oas', async () => {
    await writeFile(join(folder, 'rules.yaml'), 'extends: ["spectral:oas"]\n')
    const args = ['lint', '--ruleset', join(folder, 'rules.yaml'), '--format', 'json', '--quiet', openApiFile]
    const { output, errors } = await ended(join(bin, 'spectral'), args)
    expect(output, errors).to.include('[')
    const problems = JSON.parse(output) as readonly SpectralProblem[]
    expect(problems.filter(({ severity }) => severity === 0)).to.deep.equal([])
    expect(problems.filter(({ code }) => !(code in accepted))).to.deep.equal([])
    console.log(`        ${String(problems.length)} accepted warnings`)
  })
})
