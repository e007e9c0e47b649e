#ifndef PENSTOCK_DIRECT_CALL_H
#define PENSTOCK_DIRECT_CALL_H

#include <sys/syscall.h>

/// Makes a system call and returns its result, or -errno. It modifies nothing else: a process that shares the memory of the thread that started it
/// also shares its `errno`, which the C library's functions set.
__attribute__((always_inline)) static inline long penstock_direct_call(
    long number, long first, long second, long third, long fourth) {
#if defined(__x86_64__)
  long result;
  register long fourth_register __asm__("r10") = fourth;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(first), "S"(second), "d"(third), "r"(fourth_register)
                   : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long number_register __asm__("x8") = number;
  register long result __asm__("x0") = first;
  register long second_register __asm__("x1") = second;
  register long third_register __asm__("x2") = third;
  register long fourth_register __asm__("x3") = fourth;
  __asm__ volatile("svc 0"
                   : "+r"(result)
                   : "r"(number_register), "r"(second_register), "r"(third_register), "r"(fourth_register)
                   : "memory");
  return result;
#else
#error "how this processor makes a system call has to be added here"
#endif
}

#endif
