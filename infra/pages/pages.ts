/** The files that are generated from the code. `npm run docs` writes them; a test checks that they are current. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { format, type FormatConfig } from 'oxfmt'
import { deriveFingerprints, fingerprintsFile } from '../fingerprints.mjs'
import { manualPage } from './man.ts'
import { eventsPage } from './events.ts'
import { openApiDocument } from './openapi.ts'
import { requirementsPage } from './requirements.ts'

/** The project's folder. */
export const root = new URL('../../', import.meta.url)

const pages: Readonly<Record<string, () => string | Promise<string>>> = {
  'infra/docs/events.md': () => eventsPage(root),
  'infra/docs/requirements.md': () => requirementsPage(root),
  'infra/docs/openapi.yaml': () => openApiDocument(root),
  'infra/docs/svc.1': () => manualPage(root),
  [fingerprintsFile]: async () => JSON.stringify(await deriveFingerprints(fileURLToPath(root))),
}

/** Returns the content of each generated page by its path, formatted as the rest of the project. */
export const generatedPages = async (): Promise<ReadonlyMap<string, string>> => {
  const config = JSON.parse(readFileSync(new URL('.oxfmtrc.json', root), 'utf8')) as FormatConfig
  const formatted = Object.entries(pages).map(async ([path, make]): Promise<[string, string]> => {
    const content = await make()
    // The formatter does not know manual pages.
    if (path.endsWith('.1')) return [path, content]
    const { code, errors } = await format(path, content, config)
    if (errors.length > 0) throw new Error(`${path}: ${errors.map(({ message }) => message).join('; ')}`)
    return [path, code]
  })
  return new Map(await Promise.all(formatted))
}
