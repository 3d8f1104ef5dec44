/** Which requirement each test proves, from the ids that titles of tests begin with. */
import { readFileSync, readdirSync } from 'node:fs'
import { generated } from './markdown.ts'
import { requirementGroups } from './requirement-list.ts'

const known = new Set(requirementGroups.flatMap(({ statements }) => Object.keys(statements)))
const areas = new Set([...known].map((id) => id.split('-', 1)[0]))

const comments = /^\s*(?:\/\/|\/?\*).*$/gm
const ids = /\b([A-Z]{2,4})-\d\d\b/g

/**
 * The ids that a spec carries outside its comments.
 * @throws Error when there is no such requirement
 */
const idsIn = (file: string, source: string): ReadonlySet<string> => {
  const citedIds = [...source.replace(comments, '').matchAll(ids)]
    .filter(([, area]) => areas.has(area ?? ''))
    .map(([id]) => id)
  for (const id of citedIds) if (!known.has(id)) throw new Error(`${file} carries ${id}: no such requirement`)
  return new Set(citedIds)
}

/** The page: each requirement with the specs that carry its id. */
export const requirementsPage = (root: URL): string => {
  const specs = readdirSync(new URL('tests/', root), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.spec.ts'))
    .map((path) => `tests/${path}`)
    .sort()
    .map((file) => ({ file, carries: idsIn(file, readFileSync(new URL(file, root), 'utf8')) }))
  const linesOf = (id: string, statement: string): string => {
    const proving = specs.filter(({ carries }) => carries.has(id))
    return [
      `- **${id}** ${statement}`,
      ...proving.map(({ file }) => `  - [${file}](../../${file})`),
      ...(proving.length === 0 ? ['  - no test carries this id'] : []),
    ].join('\n')
  }
  return [
    generated('the titles of tests'),
    '# Requirements and the tests that prove them',
    'The title of a test begins with the id of the requirement that the test proves.\n`npm test -- --grep OIDC-06` runs the tests of one requirement.',
    ...requirementGroups.map(
      ({ title, statements }) =>
        `## ${title}\n\n${Object.entries(statements)
          .map(([id, statement]) => linesOf(id, statement))
          .join('\n')}`,
    ),
  ].join('\n\n')
}
