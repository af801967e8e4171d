import { serviceLogo, serviceName } from "../client/address.ts"

/** The sign and the name of the service. */
export function Mark() {
  return (
    <span class="mark inline gap-3">
      {serviceLogo === null ? (
        <svg viewBox="0 0 32 32" aria-hidden="true" focusable="false">
          <rect width="32" height="32" rx="7" />
          <path d="M8 21.500 21.500 8c1.600 3.800 1.200 7.300-1 9.500l-6 6H8z" />
        </svg>
      ) : (
        <img src={serviceLogo} alt="" height="28" />
      )}
      {serviceName}
    </span>
  )
}
