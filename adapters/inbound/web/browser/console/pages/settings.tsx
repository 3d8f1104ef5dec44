import { useState } from 'react'
import { useRecord } from '../api.ts'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { Checkbox, TextArea, TextField } from '../kit/field.tsx'
import { linesOf } from '../kit/lines.ts'
import { SearchSelect } from '../kit/search-select.tsx'
import { Facts, Loaded, PageHead, Section } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import { useMoment } from '../moment.tsx'
import { UserLink } from '../record-links.tsx'
import type { SettingsRecord } from '../records.ts'
import { useMay } from '../session.tsx'
import { useTexts } from '../text.tsx'
import { BrandingPreview } from './branding-preview.tsx'
import { AccentColor } from './settings-accent.tsx'
import { Logo } from './settings-logo.tsx'
import { settingsTexts } from './settings-texts.ts'

type NumberSetting =
  | 'sessionLifetimeMinutes'
  | 'sessionIdleMinutes'
  | 'administratorIdleMinutes'
  | 'inviteLifetimeHours'
  | 'magicLinkMinutes'
  | 'apiKeyMaxDays'
  | 'signInEventRetentionDays'
type Lockout = keyof SettingsRecord['codeLockout']

/** A section of the page, which is edited as a whole. */
interface SettingsGroup {
  readonly name: 'organization' | 'sessions' | 'codes' | 'administrators' | 'network' | 'retention'
  readonly lines?: readonly ('organizationName' | 'supportEmail')[]
  readonly numbers?: readonly NumberSetting[]
  readonly lockout?: readonly Lockout[]
  readonly strong?: true
  readonly proxies?: true
}

const groups: readonly SettingsGroup[] = [
  { name: 'organization', lines: ['organizationName', 'supportEmail'] },
  {
    name: 'sessions',
    numbers: [
      'sessionLifetimeMinutes',
      'sessionIdleMinutes',
      'administratorIdleMinutes',
      'inviteLifetimeHours',
      'magicLinkMinutes',
    ],
  },
  { name: 'codes', lockout: ['maxAttempts', 'windowMinutes', 'lockoutMinutes'] },
  { name: 'administrators', numbers: ['apiKeyMaxDays'], strong: true },
  { name: 'network', proxies: true },
  { name: 'retention', numbers: ['signInEventRetentionDays'] },
]

/** Numbers that mean no limit if they are empty */
const optional: ReadonlySet<string> = new Set(['sessionIdleMinutes', 'apiKeyMaxDays'])

export const SettingsPage = () => {
  const text = useTexts(settingsTexts)
  const common = useTexts(commonTexts)
  const { at } = useMoment()
  const mayWrite = useMay('global_admin') && at === null
  const settings = useRecord<SettingsRecord>('/settings')
  const [editing, setEditing] = useState<SettingsGroup | null>(null)
  return (
    <>
      <PageHead title={text.title} lead={text.lead} />
      <Loaded query={settings}>
        {(data) => (
          <>
            {groups.map((group) => (
              <Section
                key={group.name}
                title={text[group.name]}
                actions={
                  mayWrite && (
                    <Button small onClick={() => setEditing(group)}>
                      {text.edit}
                      <span className="visually-hidden"> {text[group.name]}</span>
                    </Button>
                  )
                }
              >
                <Facts
                  facts={[
                    ...(group.lines ?? []).map((name) => [text[name], data[name] ?? common.none] as const),
                    ...(group.numbers ?? []).map((name) => [text[name], data[name] ?? text.noLimit] as const),
                    ...(group.lockout ?? []).map((name) => [text[name], data.codeLockout[name]] as const),
                    ...(group.strong === true
                      ? [
                          [
                            text.requireStrongForAdmins,
                            data.requireStrongForAdmins ? common.yes : common.no,
                          ] as const,
                          [
                            text.breakGlassUserId,
                            data.breakGlassUserId === null ? (
                              common.none
                            ) : (
                              <UserLink key="break-glass" id={data.breakGlassUserId} />
                            ),
                          ] as const,
                        ]
                      : []),
                    ...(group.proxies === true
                      ? [[text.trustedProxies, data.trustedProxies.join(', ') || common.none] as const]
                      : []),
                  ]}
                />
                {group.name === 'organization' && (
                  <>
                    <Logo mayWrite={mayWrite} />
                    <AccentColor mayWrite={mayWrite} />
                  </>
                )}
              </Section>
            ))}
            {data.updatedAt !== null && (
              <p className="hint">
                {text.changed} <Time value={data.updatedAt} />
              </p>
            )}
            {editing !== null && (
              <SettingsDialog group={editing} settings={data} onClose={() => setEditing(null)} />
            )}
          </>
        )}
      </Loaded>
    </>
  )
}

interface Named {
  readonly id: string
  readonly name: string
}

const SettingsDialog = ({
  group: { name: title, lines = [], numbers = [], lockout = [], strong, proxies },
  settings,
  onClose,
}: {
  readonly group: SettingsGroup
  readonly settings: SettingsRecord
  readonly onClose: () => void
}) => {
  const text = useTexts(settingsTexts)
  const common = useTexts(commonTexts)
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries([
      ...[...lines, ...numbers].map((name) => [name, String(settings[name] ?? '')]),
      ...lockout.map((name) => [name, String(settings.codeLockout[name])]),
    ]),
  )
  const [trusted, setTrusted] = useState(settings.trustedProxies.join('\n'))
  const [required, setRequired] = useState(settings.requireStrongForAdmins)
  const [breakGlass, setBreakGlass] = useState<Named | null>(
    settings.breakGlassUserId === null
      ? null
      : { id: settings.breakGlassUserId, name: settings.breakGlassUserId },
  )
  const value = (name: string): string => (typed[name] ?? '').trim()
  const number = (name: string): number | null => (value(name) === '' ? null : Number(value(name)))
  const body = (): object => ({
    ...Object.fromEntries(lines.map((name) => [name, value(name) === '' ? null : value(name)])),
    ...Object.fromEntries(numbers.map((name) => [name, number(name)])),
    ...(lockout.length === 0
      ? {}
      : { codeLockout: Object.fromEntries(lockout.map((name) => [name, number(name)])) }),
    ...(strong === true
      ? { requireStrongForAdmins: required, breakGlassUserId: breakGlass?.id ?? null }
      : {}),
    ...(proxies === true ? { trustedProxies: linesOf(trusted) } : {}),
  })
  const pathOf = (name: string): string =>
    (lockout as readonly string[]).includes(name) ? `codeLockout/${name}` : name
  const names = [...lines, ...numbers, ...lockout]
  return (
    <CommandDialog
      title={text[title]}
      confirm={common.save}
      done={text.saved}
      command={() => ({ method: 'PATCH', path: '/settings', body: body() })}
      onClose={onClose}
      names={[...names.map(pathOf), 'breakGlassUserId', 'trustedProxies']}
      fields={(errorOf) => (
        <>
          {names.map((name) => (
            <TextField
              key={name}
              name={name}
              type={name === 'supportEmail' ? 'email' : name === 'organizationName' ? 'text' : 'number'}
              label={text[name]}
              hint={
                optional.has(name)
                  ? text.emptyForNoLimit
                  : name === 'signInEventRetentionDays'
                    ? text.retentionHint
                    : undefined
              }
              value={typed[name] ?? ''}
              onChange={(next) => setTyped({ ...typed, [name]: next })}
              error={errorOf(pathOf(name))}
            />
          ))}
          {title === 'organization' && (
            <BrandingPreview name={typed['organizationName']} supportEmail={typed['supportEmail']} />
          )}
          {proxies === true && (
            <TextArea
              name="trustedProxies"
              label={text.trustedProxies}
              hint={text.trustedProxiesHint}
              value={trusted}
              onChange={setTrusted}
              error={errorOf('trustedProxies')}
            />
          )}
          {strong === true && (
            <>
              <Checkbox label={text.requireStrongForAdmins} checked={required} onChange={setRequired} />
              <SearchSelect<Named>
                name="breakGlassUserId"
                label={text.breakGlassUserId}
                hint={text.breakGlassHint}
                path="/users"
                value={breakGlass}
                none={common.none}
                error={errorOf('breakGlassUserId')}
                onChange={setBreakGlass}
              />
            </>
          )}
        </>
      )}
    />
  )
}
