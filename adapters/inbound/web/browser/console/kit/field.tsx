/** Form fields: a label, a control, a hint and an error that refers to the control. */
import { useId, type ReactNode } from 'react'
import styles from './kit.module.css'

interface FieldFrame {
  readonly label: string
  readonly hint?: string | undefined
  readonly error?: string | null | undefined
}

interface Described {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': true | undefined
}

const Frame = ({
  label,
  hint,
  error,
  children,
}: FieldFrame & { readonly children: (described: Described) => ReactNode }) => {
  const id = useId()
  const hintId = `${id}-hint`
  const errorId = `${id}-error`
  const described = [hint === undefined ? '' : hintId, error ? errorId : ''].filter(Boolean).join(' ')
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        'aria-describedby': described === '' ? undefined : described,
        'aria-invalid': error ? true : undefined,
      })}
      {hint !== undefined && (
        <p id={hintId} className="hint">
          {hint}
        </p>
      )}
      {error && (
        <p id={errorId} className="field-error">
          {error}
        </p>
      )}
    </div>
  )
}

export interface TextFieldProps extends FieldFrame {
  readonly name: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly type?: 'text' | 'email' | 'url' | 'search' | 'number' | 'password' | 'datetime-local' | 'date'
  readonly required?: boolean
  readonly autoFocus?: boolean
  readonly autoComplete?: string
}

export const TextField = ({
  name,
  value,
  onChange,
  type = 'text',
  required = false,
  autoFocus = false,
  autoComplete = 'off',
  ...frame
}: TextFieldProps) => (
  <Frame {...frame}>
    {(described) => (
      <input
        {...described}
        name={name}
        type={type}
        value={value}
        required={required}
        autoFocus={autoFocus}
        autoComplete={autoComplete}
        onChange={(event) => {
          onChange(event.target.value)
        }}
      />
    )}
  </Frame>
)

export const ColorField = ({
  name,
  value,
  onChange,
  ...frame
}: FieldFrame & {
  readonly name: string
  /** `#0f5f66` */
  readonly value: string
  readonly onChange: (value: string) => void
}) => (
  <Frame {...frame}>
    {(described) => (
      <input
        {...described}
        name={name}
        type="color"
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    )}
  </Frame>
)

export const FileField = ({
  name,
  accept,
  readsAtOnce = false,
  onChange,
  ...frame
}: FieldFrame & {
  readonly name: string
  /** Endings and media types, as in HTML */
  readonly accept: string
  /** The field is empty afterwards, so that the same file can be chosen again after a change */
  readonly readsAtOnce?: boolean
  readonly onChange: (file: File | null) => void
}) => (
  <Frame {...frame}>
    {(described) => (
      <input
        {...described}
        name={name}
        type="file"
        accept={accept}
        onChange={({ target }) => {
          onChange(target.files?.[0] ?? null)
          if (readsAtOnce) target.value = ''
        }}
      />
    )}
  </Frame>
)

export const TextArea = ({
  name,
  value,
  onChange,
  rows = 4,
  ...frame
}: FieldFrame & {
  readonly name: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly rows?: number
}) => (
  <Frame {...frame}>
    {(described) => (
      <textarea
        {...described}
        name={name}
        rows={rows}
        value={value}
        onChange={(event) => {
          onChange(event.target.value)
        }}
      />
    )}
  </Frame>
)

/** Fields that belong together, with their name. */
export const FieldGroup = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <fieldset className={styles['fieldGroup']}>
    <legend>{label}</legend>
    {children}
  </fieldset>
)

export interface Option {
  readonly value: string
  readonly label: string
}

export const Select = ({
  name,
  value,
  options,
  onChange,
  ...frame
}: FieldFrame & {
  readonly name: string
  readonly value: string
  readonly options: readonly Option[]
  readonly onChange: (value: string) => void
}) => (
  <Frame {...frame}>
    {(described) => (
      <select
        {...described}
        name={name}
        value={value}
        onChange={(event) => {
          onChange(event.target.value)
        }}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    )}
  </Frame>
)

export const Checkbox = ({
  label,
  checked,
  onChange,
  hint,
}: {
  readonly label: string
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
  readonly hint?: string | undefined
}) => {
  const id = useId()
  return (
    <div className={styles['check']}>
      <input
        id={id}
        type="checkbox"
        checked={checked}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={(event) => {
          onChange(event.target.checked)
        }}
      />
      <label htmlFor={id}>{label}</label>
      {hint !== undefined && (
        <p id={`${id}-hint`} className="hint">
          {hint}
        </p>
      )}
    </div>
  )
}
