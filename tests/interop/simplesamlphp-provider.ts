/** SimpleSAMLphp as an identity provider, with users who sign in with a password. */
import type { Page } from 'playwright-core'
import { providerKey } from './saml-stack.ts'
import { startPhpServer } from './simplesamlphp-server.ts'

export interface SimpleSamlPhpProvider {
  /** Metadata of the identity provider */
  readonly metadata: () => Promise<string>
  /** Registers the service with its metadata. */
  readonly register: (metadata: string) => Promise<void>
  /** Signs in on the provider's page. */
  readonly signIn: (page: Page, login: string) => Promise<void>
  /** Removes a user there. Sessions that the user has there go on. */
  readonly remove: (login: string) => Promise<void>
  readonly errorLog: () => Promise<string>
  readonly stop: () => Promise<void>
}

/** Users by login, with their attributes. */
export type Users = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>

const PASSWORD = 'only-for-this-test'

const array = (values: readonly string[]): string => `[${values.map((value) => `'${value}'`).join(', ')}]`

const sources = (users: Users): string => `<?php
$config = [
  'people' => [
    'exampleauth:UserPass',
    ${Object.entries(users)
      .map(
        ([login, attributes]) =>
          `'${login}:${PASSWORD}' => [${Object.entries({ uid: [login], ...attributes })
            .map(([name, values]) => `'${name}' => ${array(values)}`)
            .join(', ')}],`,
      )
      .join('\n    ')}
  ],
];
`

const hosted = `<?php
$metadata['__DYNAMIC:1__'] = [
  'host' => '__DEFAULT__',
  'privatekey' => 'idp.key',
  'certificate' => 'idp.crt',
  'auth' => 'people',
  'validate.authnrequest' => true,
  'saml20.sign.assertion' => true,
  'NameIDFormat' => 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
  'authproc' => [
    3 => [
      'class' => 'saml:AttributeNameID',
      'attribute' => 'uid',
      'Format' => 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
    ],
  ],
];
`

const nobody =
  '<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata"></md:EntitiesDescriptor>'

export const startSimpleSamlPhpProvider = async (users: Users): Promise<SimpleSamlPhpProvider> => {
  const { certificate, key } = await providerKey()
  const { origin, write, errorLog, stop } = await startPhpServer({
    options: (folder) => `'enable.saml20-idp' => true,
  'module.enable' => ['exampleauth' => true, 'core' => true, 'saml' => true],
  'metadata.sources' => [
    ['type' => 'flatfile', 'directory' => '${folder}/metadata'],
    ['type' => 'xml', 'file' => '${folder}/sp.xml'],
  ],`,
    files: {
      'authsources.php': sources(users),
      'metadata/saml20-idp-hosted.php': hosted,
      'sp.xml': nobody,
      'idp.key': key,
      'idp.crt': certificate,
    },
  })
  const left = new Map(Object.entries(users))
  return {
    remove: async (login) => {
      left.delete(login)
      await write('authsources.php', sources(Object.fromEntries(left)))
    },
    metadata: async () => {
      const response = await fetch(`${origin}/simplesaml/saml2/idp/metadata.php`)
      if (!response.ok) throw new Error(`${String(response.status)}: ${await errorLog()}`)
      return response.text()
    },
    register: (metadata) => write('sp.xml', metadata),
    signIn: async (page, login) => {
      await page.waitForURL((url) =>
        url.href.startsWith(`${origin}/simplesaml/module.php/core/loginuserpass`),
      )
      await page.fill('[name="username"]', login)
      await page.fill('[name="password"]', PASSWORD)
      await page.press('[name="password"]', 'Enter')
    },
    errorLog,
    stop,
  }
}
