/**
 * Runs the benchmarks and prints one table. The baselines come from the same run, so that ratios are comparable
 * between machines. Arguments limit the run to some parts (`spine`, `audit`, `oidc`, `saml`, `scim`, `webhooks`);
 * `saml-fuzz`, `hostile`, `upgrade`, `console`, `expiry`, `export`, `policies` and `reviews` run only if they are named.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startEmbeddedPostgres } from '../../adapters/engines/postgres/embedded.ts'
import { auditRows } from './audit-rows.ts'
import { rsaSignatures } from './baselines.ts'
import { consoleRows } from './console-rows.ts'
import { perSecond, printTable, type Line } from './measure.ts'
import { expiryRows } from './expiry-rows.ts'
import { exportRows } from './export-rows.ts'
import { hostileRows } from './hostile-rows.ts'
import { oidcRows } from './oidc-rows.ts'
import { policyRows } from './policy-rows.ts'
import { reviewRows } from './review-rows.ts'
import { scimRows } from './scim-rows.ts'
import { samlFuzz } from './saml-fuzz.ts'
import { samlRows } from './saml-rows.ts'
import { spineRows } from './spine-rows.ts'
import { upgradeRows } from './upgrade-rows.ts'
import { webhookRows } from './webhook-rows.ts'

const parts = process.argv.slice(2)
const isSelected = (part: string): boolean => parts.length === 0 || parts.includes(part)

const silent = { debug: () => undefined, info: () => undefined, warn: console.warn, error: console.error }
const dir = await mkdtemp(join(tmpdir(), 'svc-bench-'))
const postgres = await startEmbeddedPostgres({ dataDir: dir, log: () => undefined })
const databaseUrlOf = async (name: string): Promise<string> => {
  const admin = new pg.Client({ connectionString: postgres.url })
  await admin.connect()
  await admin.query(`create database ${name}`)
  await admin.end()
  const url = new URL(postgres.url)
  url.pathname = `/${name}`
  return url.href
}
const lines: Line[] = []
const say = (line: Line): void => {
  lines.push(line)
  console.error(`${line.what}: ${line.value}`)
}

try {
  const rsa = await rsaSignatures()
  say({ what: 'bare RSA-2048 signatures, 16 in flight', value: perSecond(rsa) })
  if (isSelected('spine')) await spineRows(databaseUrlOf, dir, silent, say)
  if (isSelected('saml')) await samlRows(await databaseUrlOf('saml'), rsa, say)
  if (parts.includes('saml-fuzz')) samlFuzz(say)
  if (parts.includes('hostile')) await hostileRows(await databaseUrlOf('hostile'), say)
  if (parts.includes('upgrade')) await upgradeRows(await databaseUrlOf('upgrade'), silent, say)
  if (parts.includes('console')) await consoleRows(await databaseUrlOf('console'), silent, say)
  if (parts.includes('expiry')) await expiryRows(await databaseUrlOf('expiry'), silent, say)
  if (parts.includes('reviews')) await reviewRows(await databaseUrlOf('reviews'), silent, say)
  if (parts.includes('export')) await exportRows(await databaseUrlOf('export'), silent, say)
  if (isSelected('webhooks')) await webhookRows(databaseUrlOf, silent, say)
  if (isSelected('audit')) await auditRows(await databaseUrlOf('audit'), dir, silent, say)
  if (isSelected('oidc')) await oidcRows(await databaseUrlOf('tokens'), postgres.pid, rsa, say)
  if (parts.includes('policies')) await policyRows(databaseUrlOf, silent, say)
  if (isSelected('scim')) await scimRows(await databaseUrlOf('directory'), say)

  console.log(`\n${String(availableParallelism())} cores, Node ${process.version}, Postgres with fsync on\n`)
  printTable(lines)
} finally {
  await postgres.stop()
  await rm(dir, { recursive: true, force: true })
}
process.exit(0)
