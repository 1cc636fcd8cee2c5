//===- MaskCompression.cpp - Masks that are never written -----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MaskCompression.h"

#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/Target/RegisterTargetPassConfigCallback.h"

using namespace shard::codegen;

namespace {
/// Puts a reader behind each instruction that makes a mask of the signs of a vector. The
/// numbers of opcodes are private to LLVM's target, their names are not.
struct AddMaskReaders : llvm::MachineFunctionPass {
  static char ID;
  AddMaskReaders() : MachineFunctionPass(ID) {}

  llvm::StringRef getPassName() const override {
    return "shard: readers of masks";
  }

  bool runOnMachineFunction(llvm::MachineFunction &function) override {
    const llvm::TargetInstrInfo &info = *function.getSubtarget().getInstrInfo();
    bool changed = false;
    for (llvm::MachineBasicBlock &block : function)
      for (llvm::MachineInstr &instruction : block)
        if (info.getName(instruction.getOpcode()).starts_with("VPMOVD2MZ")) {
          llvm::BuildMI(block, std::next(instruction.getIterator()),
                        instruction.getDebugLoc(),
                        info.get(llvm::TargetOpcode::FAKE_USE))
              .addReg(instruction.getOperand(0).getReg());
          changed = true;
        }
    return changed;
  }
};
} // namespace

char AddMaskReaders::ID = 0;

/// LLVM calls a callback for all machines of the process, and a host may have others.
static thread_local const llvm::TargetMachine *ours = nullptr;

static void addPass(llvm::TargetMachine &machine,
                    llvm::legacy::PassManagerBase &,
                    llvm::TargetPassConfig *config) {
  if (&machine == ours && machine.getTargetTriple().isX86())
    config->insertPass(&llvm::ExpandPostRAPseudosID, new AddMaskReaders());
}

KeepMasks::KeepMasks(const llvm::TargetMachine &machine) {
  static llvm::RegisterTargetPassConfigCallback callback(addPass);
  ours = &machine;
}

KeepMasks::~KeepMasks() { ours = nullptr; }
