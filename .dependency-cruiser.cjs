// The rooms and what each may import. `npm run layers` enforces it; tests/infra/layers.spec.ts proves that the check
// works.
const inside = (...rooms) => `^(?:${rooms.join('|')})/`
const rooms = ['domain', 'read-models', 'projections', 'adapters', 'cli', 'tests', 'infra']

/**
 * What a room may import, in addition to itself and packages. `infra` may import everything but `tests`, and `tests`
 * everything.
 */
const mayImport = {
  'read-models': ['domain'],
  projections: ['domain', 'read-models', 'adapters/kernel'],
  adapters: ['domain', 'read-models'],
  cli: ['domain', 'read-models', 'projections', 'adapters'],
}

/** The rooms inside adapters/ and cli/, lowest first: each may import those before it, never those after it. */
const stairs = [
  'adapters/kernel',
  'adapters/engines/egress',
  'adapters/engines/geoip',
  'adapters/engines/postgres',
  'adapters/engines/vault',
  'adapters/engines/event-log',
  'adapters/engines/audit',
  'adapters/engines/backup',
  'adapters/engines/ssh',
  'adapters/application/services',
  'adapters/application/exports',
  'adapters/application/commands',
  'adapters/application/imports',
  'adapters/application/sign-in',
  'adapters/application/reactions',
  'adapters/outbound/mail',
  'adapters/outbound/webhooks',
  'adapters/outbound/provisioning',
  'adapters/inbound/http',
  'adapters/inbound/sign-in',
  'adapters/inbound/oidc',
  'adapters/inbound/ssf',
  'adapters/inbound/saml',
  'adapters/inbound/test-sign-in',
  'adapters/inbound/api',
  'adapters/inbound/scim',
  'adapters/inbound/web',
  'cli/server',
  'cli',
]

const stairRules = stairs.slice(0, -1).map((room, step) => ({
  name: `${room.replaceAll('/', '-')}-knows-only-rooms-below`,
  severity: 'error',
  comment: `${room}/ may import ${step === 0 ? 'no other room of adapters/' : `${stairs.slice(0, step).join(', ')}`}.`,
  from: { path: inside(room) },
  to: {
    path: inside('adapters', 'cli'),
    pathNot: inside(...stairs.slice(0, step + 1)),
  },
}))

const roomRules = Object.entries(mayImport).map(([room, known]) => ({
  name: `${room}-knows-only-its-own`,
  severity: 'error',
  comment: `${room}/ may import ${known.join(', ')} and packages.`,
  from: { path: inside(room) },
  to: { path: inside(...rooms.filter((other) => other !== room)), pathNot: inside(...known) },
}))

module.exports = {
  forbidden: [
    {
      name: 'domain-knows-only-domain',
      severity: 'error',
      comment: 'domain/ is pure: no other room, no npm package, no core module.',
      from: { path: inside('domain') },
      to: { pathNot: inside('domain') },
    },
    ...roomRules,
    ...stairRules,
    {
      name: 'adapters-has-rooms-only',
      severity: 'error',
      comment: 'A file of adapters/ must be in one of the rooms listed above.',
      from: {},
      to: { path: '^adapters/', pathNot: inside(...stairs) },
    },
    {
      name: 'nothing-imports-tests',
      severity: 'error',
      from: { pathNot: inside('tests') },
      to: { path: inside('tests') },
    },
    {
      name: 'browser-code-stands-alone',
      severity: 'error',
      comment:
        'Code for the browser is bundled: it may import its own folder, the pure domain, the list of console pages, and packages. From the declarations of the API it may import types, never code of the server.',
      from: { path: '^adapters/inbound/web/browser/' },
      to: {
        path: inside(...rooms),
        pathNot:
          '^(?:adapters/inbound/web/browser/|domain/|adapters/inbound/web/console/page(?:-list|-list-service)?[.]ts$)',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'browser-code-knows-types-of-the-api-only',
      severity: 'error',
      from: { path: '^adapters/inbound/web/browser/' },
      to: {
        path: inside(...rooms),
        pathNot:
          '^(?:adapters/inbound/(?:web/browser|api)/|domain/|adapters/inbound/web/console/page(?:-list|-list-service)?[.]ts$)',
      },
    },
    {
      name: 'server-code-leaves-browser-code-alone',
      severity: 'error',
      from: { pathNot: '^(?:adapters/inbound/web/browser|tests|infra)/' },
      to: { path: '^adapters/inbound/web/browser/' },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'Type imports count too: two files whose types form a cycle cannot be understood separately.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'resolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-dev-packages-in-the-product',
      severity: 'error',
      from: { pathNot: '^(?:tests|infra|adapters/inbound/web/browser)/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'declared-packages-only',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(?:\\.build|\\.coverage|\\.data|tests/interop/outside/programs/)' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      mainFields: ['module', 'main', 'types', 'typings'],
    },
    skipAnalysisNotInRules: true,
  },
}
