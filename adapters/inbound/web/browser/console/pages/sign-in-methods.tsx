import { useState } from 'react'
import { useRecord } from '../api.ts'
import { Badge } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { Facts, Loaded, PageHead, Section } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import { useMoment } from '../moment.tsx'
import type { MethodSettingRecord } from '../records.ts'
import { useMay } from '../session.tsx'
import { texts, useTexts } from '../text.tsx'

type Type = MethodSettingRecord['type']

const methodTexts = texts({
  en: {
    title: 'Sign-in methods',
    lead: 'Which methods people can set up and use. A method that is disabled cannot be used to sign in.',
    passkey: 'Passkeys',
    security_key: 'Security keys',
    identity_provider: 'Other identity providers',
    authenticator_code: 'Authenticator apps',
    recovery_codes: 'Recovery codes',
    magic_link: 'Sign-in links by email',
    enabled: 'Enabled',
    disabled: 'Disabled',
    enable: 'Enable',
    disable: 'Disable',
    enableEffect: 'People can set it up and sign in with it.',
    disableEffect: 'Nobody can sign in with it from now on. People who have no other method cannot sign in.',
    done: 'Sign-in method changed',
    everyone: 'Everyone',
    groups: (count: number) => `${String(count)} groups`,
    usableBy: 'Usable by',
    attestation: 'Proof of the model (attestation)',
    models: 'Allowed models',
    anyModel: 'Any',
    verification: 'PIN or biometrics',
    required: 'Required',
    preferred: 'Preferred',
    notAsked: 'Not required',
    asked: 'Required',
    changed: 'Last changed',
  } satisfies Record<Type, string> & Record<string, unknown>,
  de: {
    title: 'Anmeldemethoden',
    lead: 'Welche Methoden eingerichtet und benutzt werden können. Mit einer deaktivierten Methode ist keine Anmeldung möglich.',
    passkey: 'Passkeys',
    security_key: 'Sicherheitsschlüssel',
    identity_provider: 'Andere Identitätsanbieter',
    authenticator_code: 'Authenticator-Apps',
    recovery_codes: 'Wiederherstellungscodes',
    magic_link: 'Anmeldelinks per E-Mail',
    enabled: 'Aktiviert',
    disabled: 'Deaktiviert',
    enable: 'Aktivieren',
    disable: 'Deaktivieren',
    enableEffect: 'Die Methode kann eingerichtet und zur Anmeldung benutzt werden.',
    disableEffect:
      'Ab sofort kann sich niemand damit anmelden. Wer keine andere Methode hat, kann sich nicht anmelden.',
    done: 'Anmeldemethode geändert',
    everyone: 'Alle',
    groups: (count: number) => `${String(count)} Gruppen`,
    usableBy: 'Nutzbar für',
    attestation: 'Nachweis des Modells (Attestation)',
    models: 'Erlaubte Modelle',
    anyModel: 'Alle',
    verification: 'PIN oder Biometrie',
    required: 'Erforderlich',
    preferred: 'Bevorzugt',
    notAsked: 'Nicht erforderlich',
    asked: 'Erforderlich',
    changed: 'Zuletzt geändert',
  },
})

export const SignInMethodsPage = () => {
  const text = useTexts(methodTexts)
  const { at } = useMoment()
  const mayWrite = useMay('security_admin') && at === null
  const methods = useRecord<readonly MethodSettingRecord[]>('/methods')
  const [changing, setChanging] = useState<MethodSettingRecord | null>(null)
  return (
    <>
      <PageHead title={text.title} lead={text.lead} />
      <Loaded query={methods}>
        {(settings) =>
          settings.map((setting) => (
            <Section
              key={setting.type}
              title={text[setting.type]}
              hint={
                <Badge tone={setting.enabled ? 'good' : 'neutral'}>
                  {setting.enabled ? text.enabled : text.disabled}
                </Badge>
              }
              actions={
                mayWrite && (
                  <Button
                    small
                    look={setting.enabled ? 'danger' : 'plain'}
                    onClick={() => setChanging(setting)}
                  >
                    {setting.enabled ? text.disable : text.enable}
                    <span className="visually-hidden"> {text[setting.type]}</span>
                  </Button>
                )
              }
            >
              <MethodFacts setting={setting} />
            </Section>
          ))
        }
      </Loaded>
      {changing !== null && (
        <CommandDialog
          title={`${changing.enabled ? text.disable : text.enable}: ${text[changing.type]}`}
          intro={<p>{changing.enabled ? text.disableEffect : text.enableEffect}</p>}
          confirm={changing.enabled ? text.disable : text.enable}
          dangerous={changing.enabled}
          done={text.done}
          command={() => ({
            method: 'PATCH',
            path: `/methods/${changing.type}`,
            body: { enabled: !changing.enabled },
          })}
          onClose={() => setChanging(null)}
        />
      )}
    </>
  )
}

const MethodFacts = ({
  setting: { allowedGroupIds, options, updatedAt },
}: {
  readonly setting: MethodSettingRecord
}) => {
  const text = useTexts(methodTexts)
  const common = useTexts(commonTexts)
  return (
    <Facts
      facts={[
        [text.usableBy, allowedGroupIds === null ? text.everyone : text.groups(allowedGroupIds.length)],
        [
          text.attestation,
          options === null ? null : options.attestation === 'direct' ? text.asked : text.notAsked,
        ],
        [
          text.models,
          options === null
            ? null
            : options.allowedAaguids.length === 0
              ? text.anyModel
              : options.allowedAaguids.join(', '),
        ],
        [text.verification, options === null ? null : text[options.userVerification]],
        [text.changed, updatedAt === null ? common.never : <Time value={updatedAt} />],
      ]}
    />
  )
}
