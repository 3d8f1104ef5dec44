import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'

const top = resolve(import.meta.dirname, '..', '..')
const packages = dirname(dirname(import.meta.resolve('yargs').replace('file://', '')))

interface Violation {
  readonly from: string
  readonly to: string
  readonly rule: { readonly name: string }
}

/** Creates a project of one-line files and returns the findings of the layer rules: `rule: from -> to`. */
const violations = async (files: Record<string, string>): Promise<string[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-layers-'))
  try {
    for (const name of ['.dependency-cruiser.cjs', 'tsconfig.json', 'package.json']) {
      await copyFile(join(top, name), join(folder, name))
    }
    await symlink(packages, join(folder, 'node_modules'))
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), content)
    }
    const depcruise = join(packages, 'dependency-cruiser', 'bin', 'dependency-cruise.mjs')
    const args = [depcruise, '--config', '.dependency-cruiser.cjs', '--output-type', 'json', '.']
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder })
    const { summary } = JSON.parse(stdout) as { summary: { violations: Violation[] } }
    return summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`)
  } finally {
    await rm(folder, { recursive: true })
  }
}

const imports = (...paths: string[]): string => paths.map((path) => `import '${path}'`).join('\n')

describe('the layers', () => {
  it('let every room import those below it', async () => {
    const allowed = {
      'domain/a.ts': imports('./b.ts'),
      'domain/b.ts': 'export const b = 1',
      'read-models/a.ts': imports('../domain/a.ts', 'pg'),
      'projections/a.ts': imports('../domain/a.ts', '../read-models/a.ts', '../adapters/kernel/a.ts', 'rxjs'),
      'adapters/kernel/a.ts': imports('../../domain/a.ts', 'node:fs'),
      'adapters/engines/vault/a.ts': imports('../../kernel/a.ts', '../../../read-models/a.ts'),
      'adapters/inbound/saml/a.ts': imports('../sign-in/a.ts', '../../kernel/a.ts'),
      'adapters/inbound/sign-in/a.ts': 'export const a = 1',
      'cli/server/a.ts': imports('../../adapters/inbound/saml/a.ts', '../../projections/a.ts'),
      'cli/a.ts': imports('./server/a.ts', '../adapters/kernel/a.ts', 'yargs'),
      'tests/a.spec.ts': imports('../cli/a.ts', 'chai'),
      'infra/a.ts': imports('../cli/a.ts', 'esbuild'),
    }
    expect(await violations(allowed)).to.deep.equal([])
  })

  it('reject imports of higher rooms in adapters/ and cli/, and files outside the rooms', async () => {
    const lines = await violations({
      'adapters/kernel/a.ts': imports('../engines/vault/a.ts'),
      'adapters/engines/vault/a.ts': imports('../../inbound/saml/a.ts'),
      'adapters/inbound/oidc/a.ts': imports('../saml/a.ts', '../../stray.ts'),
      'adapters/inbound/saml/a.ts': imports('../../../cli/server/a.ts'),
      'adapters/stray.ts': 'export const stray = 1',
      'cli/server/a.ts': imports('../a.ts'),
      'cli/a.ts': 'export const a = 1',
    })
    expect(lines.sort()).to.deep.equal([
      'adapters-engines-vault-knows-only-rooms-below: adapters/engines/vault/a.ts -> adapters/inbound/saml/a.ts',
      'adapters-has-rooms-only: adapters/inbound/oidc/a.ts -> adapters/stray.ts',
      'adapters-inbound-oidc-knows-only-rooms-below: adapters/inbound/oidc/a.ts -> adapters/inbound/saml/a.ts',
      'adapters-inbound-oidc-knows-only-rooms-below: adapters/inbound/oidc/a.ts -> adapters/stray.ts',
      'adapters-inbound-saml-knows-only-rooms-below: adapters/inbound/saml/a.ts -> cli/server/a.ts',
      'adapters-kernel-knows-only-rooms-below: adapters/kernel/a.ts -> adapters/engines/vault/a.ts',
      'adapters-knows-only-its-own: adapters/inbound/saml/a.ts -> cli/server/a.ts',
      'cli-server-knows-only-rooms-below: cli/server/a.ts -> cli/a.ts',
    ])
  })

  it('reject everything else, including types', async () => {
    const lines = await violations({
      'domain/a.ts': imports('node:fs', 'ulid', '../adapters/kernel/c.ts'),
      'domain/t.ts': "import type { C } from '../adapters/kernel/c.ts'\nexport type T = C",
      'read-models/a.ts': imports('../projections/c.ts'),
      'projections/a.ts': imports('../adapters/engines/vault/c.ts'),
      'projections/c.ts': 'export const c = 1',
      'adapters/kernel/a.ts': imports('../../projections/c.ts', 'chai'),
      'adapters/kernel/c.ts': 'export type C = 1',
      'adapters/engines/vault/c.ts': 'export type C = 1',
      'infra/a.ts': imports('../tests/c.ts'),
      'tests/c.ts': imports('./d.ts'),
      'tests/d.ts': imports('./c.ts'),
    })
    expect(lines.map((line) => line.replace(/-> .*node_modules\/(\w+)\/.*/, '-> $1')).sort()).to.deep.equal([
      'adapters-knows-only-its-own: adapters/kernel/a.ts -> projections/c.ts',
      'domain-knows-only-domain: domain/a.ts -> adapters/kernel/c.ts',
      'domain-knows-only-domain: domain/a.ts -> fs',
      'domain-knows-only-domain: domain/a.ts -> ulid',
      'domain-knows-only-domain: domain/t.ts -> adapters/kernel/c.ts',
      'no-cycles: tests/c.ts -> tests/d.ts',
      'no-dev-packages-in-the-product: adapters/kernel/a.ts -> chai',
      'nothing-imports-tests: infra/a.ts -> tests/c.ts',
      'projections-knows-only-its-own: projections/a.ts -> adapters/engines/vault/c.ts',
      'read-models-knows-only-its-own: read-models/a.ts -> projections/c.ts',
    ])
  })
})
