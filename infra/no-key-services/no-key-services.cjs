throw new TypeError('The clients of key services are left out: the service encrypts no fields')
